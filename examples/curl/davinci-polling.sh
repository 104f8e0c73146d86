#!/usr/bin/env bash
# Pages of DaVinci that wait: for a challenge on a device, which approves, denies, lets it expire or never answers, and for
# somebody's approval, which the flow itself is asked about; held, and left by another way.
. "$(dirname "$0")/lib.sh"
davinci_only polling

# first POLICY USER: signs on as far as the second page.
first() {
    new_browser
    begin "$1"
    send "{\"user.username\":\"$2\",\"user.password\":\"Ch4ng3it!\"}"
    expect 200 .type continue
}

# wait_for DEVICE: as far as the page that waits.
wait_for() {
    first Push demo
    send "{\"device\":\"$1\"}" device
    expect 200 .type continue '.collectors[1].type' PollingCollector '.collectors[1].mode' challenge
    WAITING=$STEP
}

# poll [SECONDS]: asks whether the wait is over, and with SECONDS lets the request be held.
poll() { send '{}' polling "${1:-0}"; }

# Too early: the page as it is, the same step, and PingOne is not asked.
wait_for phone
poll
expect 200 .type continue .step "$WAITING" '.collectors[1].nextPollIn <= 1000' true
[ "$(header retry-after)" = 1 ] || fail "Retry-After is '$(header retry-after)'"

# Held until the device has answered.
poll 20
expect 200 .type success .signedIn true
call GET /bff/workforce/user
expect 200 '.token.amr | index("mfa") != null' true

# Denied, expired, never answered: the flow decides what follows.
wait_for work-phone
poll 20
expect 200 .type continue '.collectors[0].content' 'The device has refused the sign-in.'
wait_for old-phone
poll 20
expect 200 .type error .message expired
wait_for tablet
poll 20
expect 200 .type error .message timedOut
STEP=$(field .step)

# Another way goes at once, also after that.
send '{}' USE_CODE
expect 200 .type continue .name 'Enter a code'
send '{"otp":"424242"}' SUBMIT
expect 200 .type success .signedIn true

# Somebody's approval: the flow shows the same page again until it comes.
first Approval demo
expect 200 '.collectors[0].mode' continue
poll 20
expect 200 .type success .signedIn true
first Approval alice
poll 20
expect 200 .type continue '.collectors[0].content' 'Your manager has approved.'
send '{}' submit
expect 200 .type success .user.claims.preferred_username alice
first Approval demo
send '{}' CANCEL
expect 200 .type failure .reason provider-refused
done_with davinci-polling
