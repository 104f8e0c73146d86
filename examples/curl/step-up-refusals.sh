#!/usr/bin/env bash
# Step-ups that do not count: by somebody else, and for an API that is never satisfied.
. "$(dirname "$0")/lib.sh"

# The instance "witness" asks for name and password again. Somebody else's name does not count.
sign_in demo
call POST /bff/witness/start '{"for":"witnessed"}'
expect 200 .type continue
FLOW=$(field .flow) STEP=$(field .step)
call POST /bff/witness/next "$(credentials alice 'Ch4ng3it!')"
expect 200 .type continue
STEP=$(field .step)
one_time_code witness 424242
expect 200 .type failure .reason account-mismatch
call GET /bff/witness/user
expect_problem 401 signed-out
call GET /bff/standard/user
expect 200 "$NAME" demo

# The same user does.
call POST /bff/witness/start '{"for":"witnessed"}'
expect 200 .type continue
FLOW=$(field .flow) STEP=$(field .step)
call POST /bff/witness/next "$(credentials demo 'Ch4ng3it!')"
expect 200 .type continue
STEP=$(field .step)
one_time_code witness 424242
expect 200 .type success .signedIn true
call GET /bff/witness/user
expect 200 .claims.sub "$(field .claims.sub)"
if is_openam; then expect 200 .token.acr platinum; else expect 200 .token.authLevel 3; fi

# A route that no step-up helps: the user is not sent round for ever.
new_browser
sign_in alice
for _ in 1 2; do
    call POST /api/never '{}'
    expect_problem 403 step-up-required
    step_up transaction high-value
    expect 200 .type success
done
call POST /api/never '{}'
expect_problem 403 step-up-failed
[ "$(field '.stepUp // empty')" = '' ] || fail 'the refusal asks for another step-up'
# Other routes are not concerned.
call POST /api/transactions '{"from":"checking","to":"savings","amount":"0.01"}'
expect 201

# Nobody steps up who is not signed in.
new_browser
call POST /bff/transaction/start '{"for":"high-value"}'
expect_problem 401 signed-out
done_with step-up-refusals
