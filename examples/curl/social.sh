#!/usr/bin/env bash
# Sign-in at another provider: out by `go`, its page, back by `return`, on by `resume`; and what becomes of a wrong state, of
# a handle twice, and of a refusal there.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'social (ping only)'
    exit 0
fi

# leave [JOURNEY]: begins the journey and opens the other provider's page.
leave() {
    start standard "{\"journey\":\"${1:-Social}\"}"
    expect 200 '.callbacks[0].type' RedirectCallback '.callbacks[0] | has("answer")' false
    GO=$(field '.callbacks[0].go')
    page "$CLOAKROOM$GO" -H 'Sec-Fetch-Site: same-origin'
}

# resume HANDLE: the tab says which flow it left.
resume() { call POST /bff/standard/resume "$(jq -nc --arg handle "$1" --arg flow "$FLOW" '{handle: $handle, flow: $flow}')"; }

# A link, and back by a query.
leave
[ "$STATUS" = 303 ] || fail "go is $STATUS"
case $PLACE in "$SIMULATOR"/social/authorize\?*) ;; *) fail "go leads to $PLACE" ;; esac
page "$PLACE"
decide allow
BACK=$PLACE
# Somebody else's state is nobody's; the cookie of the session has no part in it.
page "${BACK/state=/state=x}"
[ "${PLACE#*#}" = return=no-pending-return ] || fail "a wrong state leads to $PLACE"
page "$BACK"
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

# The same by forms.
new_browser
leave SocialPost
[ "$STATUS" = 200 ] || fail "go is $STATUS"
fields
page "$(sed -n 's/.*<form method="post" action="\([^"]*\)".*/\1/p' <<<"$BODY")" "${FIELDS[@]}"
decide allow alice
fields
# Browsers send no cookie with a form of another site: the answer is a page that posts it once more, from our origin.
ask "$CLOAKROOM/bff/standard/return" "${FIELDS[@]}"
[ "$STATUS" = 200 ] || fail "the form is $STATUS"
fields
page "$CLOAKROOM$(sed -n 's/.*<form method="post" action="\([^"]*\)".*/\1/p' <<<"$BODY")" "${FIELDS[@]}"
resume "${PLACE#*#resume=}"
expect 200 .type success .user.claims.preferred_username alice

# Refused there: the journey hears of it.
new_browser
leave
page "$PLACE"
decide deny
page "$PLACE"
resume "${PLACE#*#resume=}"
expect 200 .type failure .reason authentication-failed
done_with social
