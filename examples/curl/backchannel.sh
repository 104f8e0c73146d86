#!/usr/bin/env bash
# The provider signs a user out: a logout token ends the user's sessions, once, and a forged one ends nothing.
. "$(dirname "$0")/lib.sh"

# logout_token USER: the token that the provider would send.
logout_token() {
    ask "$SIMULATOR/simulator/logout-token" -H 'Content-Type: application/json' \
        -d "$(jq -nc --arg user "$1" '{client: "bff", user: $user}')"
    [ "$STATUS" = 200 ] || fail "no logout token: $BODY"
    TOKEN=$(field .logout_token)
}

# tell TOKEN: what the provider does with it.
tell() { ask "$CLOAKROOM/bff/standard/backchannel-logout" --data-urlencode "logout_token=$1"; }

sign_in demo
cp "$JAR" "$WORK/first"
new_browser
sign_in demo
cp "$JAR" "$WORK/second"
new_browser
sign_in alice
cp "$JAR" "$WORK/alice"

# A token that anybody could have written, and one that was changed on its way.
logout_token demo
tell "$(printf '{"alg":"none"}' | base64 -w0 | tr -d =).$(cut -d. -f2 <<<"$TOKEN")."
expect_problem 400 invalid-logout-token
tell "${TOKEN%?????}AAAAA"
expect_problem 400 invalid-logout-token
cp "$WORK/first" "$JAR"
call GET /bff/standard/user
expect 200 "$NAME" demo

# The token itself: both sessions of the user are over, that of another user is not.
tell "$TOKEN"
expect 200
for browser in first second; do
    cp "$WORK/$browser" "$JAR"
    call GET /bff/standard/user
    expect_problem 401 signed-out
    expect 401 .reason ended
done
cp "$WORK/alice" "$JAR"
call GET /bff/standard/user
expect 200 "$NAME" alice

# It counts once.
tell "$TOKEN"
expect_problem 400 invalid-logout-token
expect 400 .error invalid_request
# What is signed in within the second of a logout token is ended by it: the next example signs demo in again.
sleep 1
done_with backchannel
