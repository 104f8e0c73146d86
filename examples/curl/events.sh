#!/usr/bin/env bash
# A stream of events tells an open tab what other tabs do: a renewal, a sign-in under a new cookie, and the end.
. "$(dirname "$0")/lib.sh"

# listen FILE [LAST ID]: opens a stream in the background, as EventSource does; sets STREAM to its process.
listen() {
    : >"$WORK/$1"
    curl -sS -N --max-time 60 -b "$JAR" -H 'Sec-Fetch-Site: same-origin' ${2:+-H "Last-Event-ID: $2"} \
        -o "$WORK/$1" "$CLOAKROOM/bff/events" &
    STREAM=$!
    await "$1" state
}

# await FILE EVENT [FILTER VALUE]: waits for an event, and checks its data.
await() {
    for _ in $(seq 200); do
        BODY=$(sed -n "/^event: $2\$/,/^\$/s/^data: //p" "$WORK/$1" | tail -n 1)
        [ -n "$BODY" ] && break
        sleep 0.05
    done
    [ -n "$BODY" ] || fail "no event $2"
    if [ $# -gt 2 ]; then [ "$(field "$3")" = "$4" ] || fail "$2 has not $4 in $3"; fi
    CHECKS=$((CHECKS + 1))
}

# last_id FILE: the id that the browser would send when it connects again.
last_id() { sed -n 's/^id: //p' "$WORK/$1" | tail -n 1; }

# Nobody is signed in: no stream. Nor for a page of another site.
call GET /bff/events
expect_problem 401 signed-out
sign_in demo
STATUS=$(curl -sS -o "$WORK/body" -w '%{http_code}' -b "$JAR" -H 'Sec-Fetch-Site: cross-site' "$CLOAKROOM/bff/events")
BODY=$(cat "$WORK/body")
expect 403 .type /problems/csrf

# Another tab renews the token.
listen tab
await tab state '.instances[0]' standard
sleep 1.1
call POST /bff/standard/token/refresh
expect 200
await tab refreshed .instance standard

# Another tab signs a second user in. The stream ends before it tells of that; the next one, under the new cookie, does.
sign_in alice standard:alice
await tab end .reason session-changed
wait "$STREAM"
grep -q alice "$WORK/tab" && fail 'the old cookie learned of the sign-in'
listen next "$(last_id tab)"
await next signed-in .instance standard:alice

# The browser signs out; a client that connects again is told to stop.
cp "$JAR" "$WORK/kept"
call POST /bff/logout
expect 204
await next end .reason signed-out
wait "$STREAM"
STATUS=$(curl -sS -o "$WORK/body" -w '%{http_code}' -b "$WORK/kept" -H 'Sec-Fetch-Site: same-origin' \
    -H "Last-Event-ID: $(last_id next)" "$CLOAKROOM/bff/events")
BODY=''
expect 204
done_with events
