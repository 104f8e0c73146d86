#!/usr/bin/env bash
# An API asks who has signed on at PingOne for more: the transfer is refused, a policy of its own asks for a one-time code, the
# transfer passes; and neither product's token passes for the other's.
. "$(dirname "$0")/lib.sh"
davinci_only step-up

pay='{"from":"checking","to":"savings","amount":"12.50"}'

call GET /api/workforce/accounts
expect_problem 401 signed-out
begin SignOn
send '{"username":"demo","password":"Ch4ng3it!"}' SIGNON
expect 200 .type success .signedIn true
call GET /api/workforce/accounts
expect 200 '.accounts | length' 2

# The refusal says what to start, and with what. PingOne's tokens know no level: what counts is the policy.
call POST /api/workforce/transactions "$pay"
expect_problem 403 step-up-required
expect 403 .stepUp.instance workforce-tx .stepUp.start /workforce-tx/start .stepUp.for workforce-high-value \
    '.required.scope[0]' WRITE_TRANSACTION .required.acr StepUp '.required | has("authLevel")' false
goal=$(field .stepUp.for)

# Which policy runs, and how, is the server's business.
call POST /bff/workforce/start '{"acrValues":["StepUp"]}'
expect_problem 422 not-allowed
call POST /bff/workforce/start '{"journey":"Login"}'
expect_problem 422 not-allowed

# The session goes along, so the code alone is asked for; a wrong one changes nothing.
INSTANCE=workforce-tx
start workforce-tx "$(jq -nc --arg goal "$goal" '{for: $goal}')"
expect 200 .type continue .kind davinci .for workforce-high-value '.collectors[0].id' otp
send '{"otp":"000000"}'
expect 200 .type error .message 'The code is not right'
call POST /api/workforce/transactions "$pay"
expect_problem 403 step-up-required
send '{"otp":"424242"}'
expect 200 .type success .signedIn true
call POST /api/workforce/transactions "$pay"
expect 201 .amount 12.50

# Two tokens side by side: the first one stays as it was.
call GET /bff/workforce/user
expect 200 .token.acr SignOn '.token.scope | index("WRITE_TRANSACTION")' null
call GET /bff/workforce-tx/user
expect 200 .token.acr StepUp '.token.scope | index("WRITE_TRANSACTION") != null' true

# Whoever signs in by a journey too has to step up there for the other API.
call POST /api/transactions "$pay"
expect_problem 401 signed-out
sign_in demo
call POST /api/transactions "$pay"
expect_problem 403 step-up-required
expect 403 .stepUp.instance transaction
call GET /bff/workforce-tx/user
expect 200
done_with davinci-step-up
