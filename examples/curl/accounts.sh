#!/usr/bin/env bash
# A user looks at the sessions that are open, ends one, and then all others.
. "$(dirname "$0")/lib.sh"

sign_in demo
cp "$JAR" "$WORK/first"
new_browser
sign_in demo
cp "$JAR" "$WORK/second"
new_browser
sign_in demo

# The list: this session and the others, with nothing that opens them.
call GET /bff/standard/sessions
expect 200 '[.sessions[] | select(.current)] | length' 1
[ "$(jq '.sessions | length' <<<"$BODY")" -ge 3 ] || fail "the list lacks sessions: $BODY"
own=$(jq -r '.sessions[] | select(.current) | .id' <<<"$BODY")
expect 200 '.sessions[-1].device' curl
cp "$JAR" "$WORK/mine"
cp "$WORK/first" "$JAR"
call GET /bff/standard/sessions
first=$(jq -r '.sessions[] | select(.current) | .id' <<<"$BODY")
cp "$WORK/mine" "$JAR"

# One of them ends; the own one ends by logout alone.
call DELETE "/bff/standard/sessions/$first"
expect 204
call DELETE "/bff/standard/sessions/$own"
expect_problem 404 unknown-session
cp "$WORK/first" "$JAR"
call GET /bff/standard/user
expect_problem 401 signed-out

# All others end.
cp "$WORK/mine" "$JAR"
call DELETE /bff/standard/sessions
expect 200
cp "$WORK/second" "$JAR"
call GET /bff/standard/user
expect_problem 401 signed-out
cp "$WORK/mine" "$JAR"
call GET /bff/standard/sessions
expect 200 '.sessions | length' 1
call POST /bff/logout
expect 204
done_with accounts
