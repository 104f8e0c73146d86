#!/usr/bin/env bash
# Gets every kind of answer that the demo gives and writes each to FOLDER/CLASS.NAME.json, after the schema that the
# contract has for it.
#
#   CLOAKROOM=URL SIMULATOR=URL Tests/Clients/collect.sh FOLDER
folder=$(cd "$1" && pwd)
. "$(dirname "$0")/../../examples/curl/lib.sh"

# keep SCHEMA NAME: writes the last answer.
keep() { printf '%s' "$BODY" >"$folder/$1.$2.json"; }

# refused STATUS PROBLEM METHOD PATH [JSON] [curl options ...]: gets a problem, named after itself.
refused() {
    local status=$1 name=$2
    shift 2
    call "$@"
    expect_problem "$status" "$name"
    keep Problem "$name"
}

# begin NAME JOURNEY: a journey in an account of its own; its first page.
begin() {
    start "standard:$1" "$(jq -nc --arg journey "$2" '{journey: $journey}')"
    expect 200 .type continue
    keep FlowNode "$1"
}

# next NAME VALUES: answers the page; what comes then.
next() {
    call POST "/bff/standard:$1/next" \
        "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --argjson values "$2" '{flow: $flow, step: $step, values: $values}')"
    expect 200
    FLOW=$(field '.flow // empty') STEP=$(field '.step // empty')
}

# fault EFFECT PATH: the provider's next answer there.
fault() {
    ask "$SIMULATOR/simulator/faults" -H 'Content-Type: application/json' \
        -d "$(jq -nc --arg effect "$1" --arg path "$2" '{effect: $effect, path: $path, count: 1}')"
    expect 200
}

login='{"IDToken1": "demo", "IDToken2": "Ch4ng3it!"}'

call GET /bff/session
keep Session signed-out
refused 401 signed-out GET /bff/standard/user
refused 403 csrf GET /bff/session '' -H 'X-CSRF: 0'
refused 404 unknown-instance GET /bff/nobody/user
refused 404 not-found GET /bff/standard/nothing
refused 405 method-not-allowed PUT /bff/standard/start '{}'
refused 400 malformed POST /bff/standard/start '{"journy":"Login"}'
refused 415 unsupported-media-type POST /bff/standard/start '{}' -H 'Content-Type: text/plain'
refused 421 misdirected-request GET /bff/session '' -H 'Host: evil.example'
printf '%200000s' '{}' >"$WORK/large"
refused 413 body-too-large POST /bff/standard/start '' -H 'Content-Type: application/json' --data-binary "@$WORK/large"
refused 422 not-allowed POST /bff/standard/start '{"journey":"Backdoor"}'
refused 410 flow-expired POST /bff/standard/next '{"flow":"f_AAAAAAAAAAAAAAAAAAAAAA","step":1}'

begin login Login
call GET /bff/session
keep Session in-progress
answer() { jq -nc --arg flow "$FLOW" --argjson step "$1" --argjson values "$2" '{flow: $flow, step: $step, values: $values}'; }
refused 422 invalid-answers POST /bff/standard:login/next "$(answer 1 '{"IDToken9": "x"}')"
refused 409 stale-step POST /bff/standard:login/next "$(answer 2 "$login")"
next login "$login"
keep FlowNode success
begin wrong Login
next wrong '{"IDToken1": "demo", "IDToken2": "wrong"}'
keep FlowNode failure
begin retry LoginRetry
next retry '{"IDToken1": "demo", "IDToken2": "wrong"}'
keep FlowNode asked-again
begin kitchen Kitchen
next kitchen '{"IDToken3": 1, "IDToken4": "nick", "IDToken5": "x", "IDToken6": 0}'
keep FlowNode after-kitchen
begin registration Registration
next registration '{"IDToken1": {"value": "a"}, "IDToken2": {"value": "b"}}'
keep FlowNode policies
begin strange Strange
call DELETE "/bff/standard:strange/flows/$FLOW"
# A page for each type of question; some types only other users meet.
for journey in SelectProvider SocialNative Social; do begin "${journey,,}" "$journey"; done
for journey in Profile Consent DeviceProfile Captcha Protect ProtectMetadata Recognize Binding Totp RecoveryCodes; do
    for user in demo alice bob; do
        new_browser
        name=${journey,,}-$user
        start "standard:$name" "{\"journey\": \"$journey\"}"
        next "$name" "$(jq -c --arg user "$user" '.IDToken1 = $user' <<<"$login")"
        keep FlowNode "$name"
    done
done
begin poll Polling
next poll "$login"
keep FlowNode polling
begin broken CustomFailure
next broken "$login"
keep FlowNode custom-failure
start standard:nothing '{"noSession": true}'
next nothing "$login"
keep FlowNode without-session

start standard
call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
call GET /bff/session
keep Session signed-in
call GET /bff/standard/user
keep User read
call POST /bff/standard/token/refresh
keep User renewed
refused 403 step-up-required POST /api/transactions '{"to": "x", "amount": 1}'
start transaction '{"for": "high-value"}'
keep FlowNode step-up
fault unavailable /access_token
refused 503 provider-unavailable POST /bff/standard/token/refresh
fault unavailable /token/revoke
call POST /bff/standard/token/revoke
expect 200 .revoked false
keep NotRevoked pending

done_with 'answers of the demo'
