#!/usr/bin/env bash
# A page that waits for the user's device: polled too early, held, left by its exit, and denied on the device.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'polling (ping only)'
    exit 0
fi

# wait_page USER: signs in as far as the page that waits; sets FLOW, STEP and POLL, the id of its question.
wait_page() {
    new_browser
    start standard '{"journey":"Push"}'
    call POST /bff/standard/next "$(credentials "$1" 'Ch4ng3it!')"
    expect 200 .type continue .step 2 '.callbacks[0].type' PollingWaitCallback '.callbacks[0].waitTime' 1000
    STEP=2 POLL=$(field '.callbacks[0].id')
}

# poll [SECONDS]: asks whether the wait is over, and with SECONDS lets the request be held.
poll() {
    call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --arg poll "$POLL" --argjson wait "${1:-0}" \
        '{flow: $flow, step: $step, action: $poll, wait: $wait}')"
}

# Too early: the page as it is, and the provider is not asked, however often.
wait_page demo
for _ in 1 2 3 4 5 6; do
    poll
    expect 200 .type continue .step 2 '.callbacks[0].nextPollIn <= 1000' true
    [ "$(header retry-after)" = 1 ] || fail "Retry-After is '$(header retry-after)'"
    # A machine that is slow may be no longer too early.
    [ "$(field '.callbacks[0].message')" = 'Your device was asked.' ] || break
done

# Held: it asks when that is due, and is answered when the page says something else, which is the same step, or when the wait
# is over.
if [ "$(field '.callbacks[0].message')" = 'Your device was asked.' ]; then
    poll 10
    expect 200 .type continue .step 2 '.callbacks[0].message' 'Still waiting for your device.'
fi
poll 10
expect 200 .type success .signedIn true

# The device takes its time.
wait_page alice
poll 10
expect 200 .step 2
poll 2
expect 200 .type continue .step 2
poll 10
expect 200 .type success .signedIn true

# Denied on the device.
wait_page bob
poll 10
expect 200 .type failure .reason authentication-failed

# The exit goes at once, and with the same step.
wait_page demo
call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" '{flow: $flow, step: 2, values: {IDToken2: 0}}')"
expect 200 .type continue .step 3 '.callbacks[1].type' PasswordCallback
poll
expect_problem 409 stale-step
call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" '{flow: $flow, step: 3, values: {IDToken2: "424242"}}')"
expect 200 .type success .signedIn true
done_with polling
