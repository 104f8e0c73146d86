#!/usr/bin/env bash
# The token is renewed on demand; ten tabs that ask at once share one renewal.
. "$(dirname "$0")/lib.sh"

call POST /bff/standard/token/refresh
expect_problem 401 signed-out

sign_in demo
call POST /bff/standard/token/refresh
expect 200 "$NAME" demo '.token.expiresIn > 0' true

for tab in $(seq 10); do
    curl -sS -o "$WORK/tab$tab" -w '%{http_code}\n' -b "$JAR" -H 'X-CSRF: 1' -X POST \
        "$CLOAKROOM/bff/standard/token/refresh" >"$WORK/status$tab" &
done
wait
for tab in $(seq 10); do
    # shellcheck disable=SC2034 # expect reads them
    STATUS=$(cat "$WORK/status$tab") BODY=$(cat "$WORK/tab$tab")
    expect 200 "$NAME" demo
done

# Revoking forgets the tokens; the provider session stays, so the next start needs no password. OpenAM asks again.
call POST /bff/standard/token/revoke
expect 204
call GET /bff/standard/user
expect_problem 401 signed-out
call POST /bff/standard/start '{}'
if is_openam; then expect 200 .type continue; else expect 200 .type success .signedIn true; fi
done_with refresh
