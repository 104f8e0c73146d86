#!/usr/bin/env bash
# A gateway before an API advises what a call lacks: a level, a journey, or the user's yes to this very call.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'advice (ping only)'
    exit 0
fi

pay='{"to":"savings","amount":"12.50"}'

# gateway KIND [JSON]: the call.
gateway() { call POST "/api/gateway/$1" "${2:-$pay}"; }

# A level, a journey, and a level in a redirect to the login page: each begins the same loop, and what was advised stays
# on the server.
for kind in level journey level/redirect; do
    new_browser
    sign_in demo
    gateway "$kind"
    expect_problem 403 step-up-required
    expect 403 .stepUp.instance transaction '.stepUp.for | startswith("c_")' true
    case $BODY in *Advice* | *UI/Login*) fail 'the answer tells the advice' ;; esac
    step_up transaction "$(field .stepUp.for)"
    expect 200 .type success .signedIn true
    gateway "$kind"
    expect 200 .level 3
done

# A transaction: the user says yes to one call. Whether that was a yes, only the call shows when it comes again.
new_browser
sign_in demo
for code in 000000 424242; do
    gateway transaction
    expect_problem 403 step-up-required
    step_up transaction "$(field .stepUp.for)" "$code"
    expect 200 .type success .signedIn false
done
gateway transaction
expect 200 .passed /gateway/transaction

# It is for no other call, and not for this one twice.
gateway transaction
expect_problem 403 step-up-required
step_up transaction "$(field .stepUp.for)"
gateway transaction '{"to":"savings","amount":"1250.00"}'
expect_problem 403 step-up-required
gateway transaction
expect 200 .passed /gateway/transaction

# Two tabs: an id counts for the call that was refused last. The other tab repeats its own, and gets a new one.
gateway transaction
first=$(field .stepUp.for)
gateway transaction '{"to":"savings","amount":"1250.00"}'
expect_problem 403 step-up-required
call POST /bff/transaction/start "{\"for\":\"$first\"}"
expect_problem 422 not-allowed
gateway transaction
step_up transaction "$(field .stepUp.for)"
gateway transaction
expect 200 .passed /gateway/transaction

# Session and tokens stayed as they were.
call GET /bff/transaction/user
expect_problem 401 signed-out
call GET /bff/standard/user
expect 200 "$NAME" demo
done_with advice
