#!/usr/bin/env bash
# A journey that goes on by a link in a mail: in the browser where it waits, in another one, and with the link twice.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'email-resume (ping only)'
    exit 0
fi

# suspend USER: runs the journey until it waits; sets ID, what the link of the mail says.
suspend() {
    start standard '{"journey":"EmailLink"}'
    expect 200 .stage EmailLink
    call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --arg user "$1" \
        '{flow: $flow, step: 1, values: {IDToken1: $user}}')"
    expect 200 .suspended true '.callbacks[0].type' SuspendedTextOutputCallback
    ask "$SIMULATOR/simulator/outbox"
    expect 200 '.messages[0].to' "$1@example.com"
    ID=$(field '.messages[0].suspendedId') LINK=$(field '.messages[0].link')
}

# open MEMBER VALUE: goes on with a link.
open() { call POST /bff/standard/resume "$(jq -nc --arg name "$1" --arg value "$2" '{($name): $value}')"; }

# In the same browser: the flow that waited ends.
suspend demo
call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" '{flow: $flow, step: 2, values: {}}')"
expect_problem 422 invalid-answers
open uri "${LINK/alpha/beta}"
expect_problem 400 malformed
open uri "$LINK"
expect 200 .type success .signedIn true .user.claims.preferred_username demo
call GET "/bff/standard/flows/$FLOW"
expect_problem 410 flow-expired
# The link counts once.
open suspendedId "$ID"
expect 200 .type failure .reason suspended-expired

# In another browser, where nobody is signed in.
new_browser
suspend alice
FIRST=$JAR
JAR=$WORK/other
open suspendedId "$ID"
expect 200 .type success .crossBrowser true .user.claims.preferred_username alice
call GET /bff/session
expect 200 '.instances[] | select(.instance == "standard") | .state' authenticated
# And where another user is: they stay, unless the user of the browser confirms that.
JAR=$FIRST
suspend bob
JAR=$WORK/other
open suspendedId "$ID"
expect_problem 409 subject-changed
expect 409 .confirm.name bob
ASKED=$(field .confirm.flow) STEP=$(field .confirm.step)
call GET "/bff/standard/flows/$ASKED"
expect_problem 409 subject-changed
call GET /bff/standard/user
expect 200 .claims.preferred_username alice
call DELETE "/bff/standard/flows/$ASKED"
expect 204
YES=$(jq -nc --arg flow "$ASKED" --argjson step "$STEP" '{flow: $flow, step: $step, confirm: true}')
call POST /bff/standard/next "$YES"
expect_problem 410 flow-expired
# Asked again, and confirmed.
JAR=$FIRST
suspend bob
JAR=$WORK/other
open suspendedId "$ID"
expect 409 .confirm.name bob
YES=$(jq -c '{flow: .confirm.flow, step: .confirm.step, confirm: true}' <<<"$BODY")
call POST /bff/standard/next "$YES"
expect 200 .type success .crossBrowser true .user.claims.preferred_username bob
call GET /bff/standard/user
expect 200 .claims.preferred_username bob
done_with email-resume
