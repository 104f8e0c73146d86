#!/usr/bin/env bash
# What the device is and where: a page's program finds it out, and sends what is asked for and no more.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'device-profile (ping only)'
    exit 0
fi

# asked USER: signs in as far as the question; sets ID.
asked() {
    new_browser
    start standard '{"journey":"DeviceProfile"}'
    call POST /bff/standard/next "$(credentials "$1" 'Ch4ng3it!')"
    expect 200 .type continue '.callbacks[0].type' DeviceProfileCallback '.callbacks[0].answer.hidden' true
    STEP=$(field .step) ID=$(field '.callbacks[0].id')
}

# profile JSON: sends a profile.
profile() {
    call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --arg id "$ID" --argjson json "$1" \
        '{flow: $flow, step: $step, values: {($id): $json}}')"
}

# refused CODE JSON: a profile that does not reach the provider.
refused() {
    profile "$2"
    expect_problem 422 invalid-answers
    expect 422 '.fields[0].code' "$1"
}

metadata='{"platform": {"platform": "Linux", "timezone": -60}, "browser": {"userAgent": "curl"}}'
place='{"latitude": 55.7047, "longitude": 13.1910}'

# Everything is asked for, and may be kept back but for the identifier.
asked demo
expect 200 '.callbacks[0].metadata' true '.callbacks[0].location' true
refused required "{\"metadata\": $metadata}"
refused out-of-range '{"identifier": "d-1", "location": {"latitude": 91, "longitude": 0}}'
refused wrong-type '{"identifier": "d-1", "version": "2.0"}'
profile "{\"identifier\": \"d-1\", \"metadata\": $metadata, \"location\": $place}"
expect 200 .type success .signedIn true
asked demo
profile '{"identifier": "d-1"}'
expect 200 .type success

# Where the place is not asked for, it is not sent.
asked alice
expect 200 '.callbacks[0].location' false
refused not-offered "{\"identifier\": \"d-1\", \"location\": $place}"
profile "{\"identifier\": \"d-1\", \"metadata\": $metadata}"
expect 200 .type success
asked bob
expect 200 '.callbacks[0].metadata' false
refused not-offered "{\"identifier\": \"d-1\", \"metadata\": $metadata}"
profile "{\"identifier\": \"d-1\", \"location\": $place}"
expect 200 .type success

# No profile at all is a matter of the journey, which wants one.
asked demo
call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" '{flow: $flow, step: $step, values: {}}')"
expect 200 .type failure .reason authentication-failed .message 'There is no profile'
done_with device-profile
