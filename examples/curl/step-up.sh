#!/usr/bin/env bash
# An API asks for more: the transfer is refused, the user steps up with a one-time code, the transfer passes.
. "$(dirname "$0")/lib.sh"

pay='{"from":"checking","to":"savings","amount":"12.50"}'

call GET /api/accounts
expect_problem 401 signed-out

sign_in demo
call GET /api/accounts
expect 200 '.accounts | length' 2
call GET /api/transactions
expect 200 '.transactions | type' array
booked=$(field '.transactions | length')
call POST /api/transactions "$pay" -H 'X-CSRF;'
expect_problem 403 csrf

# The refusal says what to start, and with what. Nothing was sent to the API.
call POST /api/transactions "$pay"
expect_problem 403 step-up-required
expect 403 .stepUp.instance transaction .stepUp.start /transaction/start .stepUp.for high-value \
    '.required.amr.any[0]' biometric '.required.scope[0]' WRITE_TRANSACTION .required.maxAge 300
# Tokens of OpenAM know no level; the journey gone through is in the acr.
if is_openam; then expect 403 '.required.authLevel // empty' ''; else expect 403 .required.authLevel 3; fi
goal=$(field .stepUp.for)

# What to ask the provider for is the server's business, never the browser's.
call POST /bff/transaction/start '{"for":"anything"}'
expect_problem 422 not-allowed
call POST /bff/standard/start '{"for":"high-value"}'
expect_problem 422 not-allowed

# A wrong code changes nothing.
step_up transaction "$goal" 000000
expect 200 .type failure .reason authentication-failed
call GET /bff/transaction/user
expect_problem 401 signed-out
call GET /bff/standard/user
expect 200 "$NAME" demo

# The right one gives a second token, and the transfer passes.
step_up transaction "$goal"
expect 200 .type success .signedIn true
case $BODY in *eyJ* | *tokenId* | *authId*) fail 'an answer carries a token' ;; esac
call POST /api/transactions "$pay"
expect 201 .amount 12.50
call GET /api/transactions
expect 200 '.transactions | length' $((booked + 1))

# Two tokens side by side: the standard one stays as it was, and stays in use.
call GET /bff/standard/user
expect 200 '.token.scope | index("WRITE_TRANSACTION")' null '.token.amr | index("biometric")' null
call GET /bff/transaction/user
expect 200 '.token.scope | index("WRITE_TRANSACTION") != null' true '.token.amr | index("biometric") != null' true
if is_openam; then expect 200 .token.acr gold; else expect 200 .token.authLevel 3; fi
elevated=$(field .expiresIn.absolute)
call GET /api/accounts
expect 200

# The elevated token ends by its client's limit; the standard one does not.
if [ "$elevated" -le 30 ]; then
    for _ in $(seq 150); do
        call GET /bff/transaction/user
        [ "$STATUS" = 200 ] || break
        sleep 0.2
    done
else
    call POST /bff/transaction/token/revoke
    expect 204
    call GET /bff/transaction/user
fi
expect_problem 401 signed-out
call POST /api/transactions "$pay"
expect_problem 403 step-up-required
call GET /api/accounts
expect 200
call GET /bff/standard/user
expect 200 "$NAME" demo
done_with step-up
