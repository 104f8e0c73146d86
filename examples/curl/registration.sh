#!/usr/bin/env bash
# A new user: what breaks a policy is shown beside its question, a field can be tried without going on, and the last page
# signs in.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'registration (ping only)'
    exit 0
fi

# ids: the ids of the page's questions, in order; sets ID.
ids() { mapfile -t ID < <(field '.callbacks[].id'); }

# answer PLACE JSON ...: answers questions of the page by their place; all others stay as they are.
answer() {
    local values='{}'
    while [ $# -gt 1 ]; do
        values=$(jq -c --arg id "${ID[$1]}" --argjson json "$2" '.[$id] = $json' <<<"$values")
        shift 2
    done
    call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --argjson values "$values" \
        '{flow: $flow, step: $step, values: $values}')"
    [ "$STATUS" = 200 ] && STEP=$(field '.step // empty')
    return 0
}

# failed PLACE: the policies that an answer does not meet.
failed() { field "[.callbacks[$1].failedPolicies[].requirement] | join(\" \")"; }

name=user$(openssl rand -hex 6)
start standard '{"journey":"Registration"}'
ids
expect 200 '[.callbacks[].type] | join(" ")' 'ValidatedCreateUsernameCallback ValidatedCreatePasswordCallback StringAttributeInputCallback NumberAttributeInputCallback BooleanAttributeInputCallback KbaCreateCallback KbaCreateCallback TermsAndConditionsCallback'

# A name that is taken, tried without going on: the page comes again, and says so.
answer 0 '{"value": "demo", "validateOnly": true}'
expect 200 .type continue
[ "$(failed 0)" = UNIQUE ] || fail "the name fails by '$(failed 0)'"

# What cannot be right is found before anything is sent, all of it at once, and the step is still open.
answer 1 '{"value": 12345678}' 3 '{"value": "old"}' 5 '{"question": "My own?", "answer": "x"}' 7 '"yes"'
expect_problem 422 invalid-answers
expect 422 '[.fields[].code] | sort | join(" ")' 'not-offered wrong-type wrong-type wrong-type'

# What breaks a policy is the provider's to say.
answer 0 "{\"value\": \"$name\"}" 1 '{"value": "short"}' 2 '{"value": "nobody"}' 3 '{"value": 12}'
expect 200 .type continue '.callbacks[1].failedPolicies[0].params["min-password-length"]' 8 '.callbacks[3].value' 12
[ "$(failed 1)" = 'LENGTH_BASED AT_LEAST_X_NUMBERS' ] || fail "the password fails by '$(failed 1)'"
[ "$(failed 2)" = VALID_EMAIL_ADDRESS_FORMAT ] || fail "the address fails by '$(failed 2)'"
[ "$(failed 3)" = MINIMUM_NUMBER_VALUE ] || fail "the age fails by '$(failed 3)'"

answer 0 "{\"value\": \"$name\"}" 1 '{"value": "L0ngEnough!"}' 2 "{\"value\": \"$name@example.com\"}" 3 '{"value": 42}' \
    4 '{"value": true}' 5 '{"question": "Who was your first employer?", "answer": "the harbour"}' \
    6 '{"question": "My own?", "answer": "this one"}' 7 true
expect 200 .type success .signedIn true ".user$NAME" "$name"

# The new user can sign in.
new_browser
start standard
call POST /bff/standard/next "$(credentials "$name" 'L0ngEnough!')"
expect 200 .type success .signedIn true
done_with registration
