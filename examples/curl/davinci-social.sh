#!/usr/bin/env bash
# Sign-on at another provider from a page of DaVinci: out by `go`, its page, back by `return`, on by `resume`; a handle twice, a
# button that is off, a refusal there, and what PingOne makes of who comes back.
. "$(dirname "$0")/lib.sh"
davinci_only social

# leave: begins the flow and opens the other provider's page.
leave() {
    begin Social
    GO=$(field '.collectors[] | select(.id == "google-btn") | .go')
    expect 200 '.collectors[] | select(.id == "google-btn") | .enabled' true
    page "$CLOAKROOM$GO" -H 'Sec-Fetch-Site: same-origin'
    [ "$STATUS" = 303 ] || fail "go is $STATUS"
    page "$PLACE"
    page "$PLACE"
}

# back USER|deny: what the user does there, and the way back as far as the app.
back() {
    if [ "$1" = deny ]; then decide deny; else decide allow "$1"; fi
    page "$PLACE"
    BACK=$PLACE
    page "$BACK"
}

# resume HANDLE: the tab says which flow it left.
resume() { call POST /bff/workforce/resume "$(jq -nc --arg handle "$1" --arg flow "$FLOW" '{handle: $handle, flow: $flow}')"; }

leave
# The provider's link holds secrets of the flow, and goes to nobody but the browser that leaves.
back demo
case $BACK in "$CLOAKROOM"/bff/workforce/return\?continueToken=*) ;; *) fail "the way back is $BACK" ;; esac
HANDLE=${PLACE#*#resume=}
[ "$HANDLE" != "$PLACE" ] || fail "return leads to $PLACE"
page "$CLOAKROOM$GO"
[ "${PLACE#*#}" = return=expired ] || fail "the handle leads twice, to $PLACE"
resume "${HANDLE}x"
expect_problem 409 no-pending-return
resume "$HANDLE"
expect 200 .type success .signedIn true .user.claims.preferred_username demo
resume "$HANDLE"
expect 200 .type success
page "$BACK"
[ "${PLACE#*#}" = return=no-pending-return ] || fail "the second return leads to $PLACE"

# One more page, of another interaction.
new_browser
leave
back alice
resume "${PLACE#*#resume=}"
expect 200 .type continue .name 'One more thing'
STEP=$(field .step)
send '{"user.email":"alice@example.com"}'
expect 200 .type success .user.claims.preferred_username alice

# A button that is off leads nowhere.
new_browser
begin Social
off=$(field '.collectors[] | select(.label == "Sign in with Facebook") | .id')
expect 200 '.collectors[] | select(.label == "Sign in with Facebook") | .enabled' false
send '{}' "$off"
expect_problem 422 invalid-answers
expect 422 '.fields[0].code' not-offered

# Refused there, and refused at PingOne: the page that was left, with its other ways.
for user in deny bob; do
    new_browser
    leave
    back "$user"
    resume "${PLACE#*#resume=}"
    expect 200 .type error '.message | length > 0' true '[.collectors[].type] | index("IdpCollector") != null' true
done
STEP=$(field .step)
send '{"user.username":"demo","user.password":"Ch4ng3it!"}'
expect 200 .type success .user.claims.preferred_username demo
done_with davinci-social
