#!/usr/bin/env bash
# What is refused, and how it is said.
. "$(dirname "$0")/lib.sh"

# Who may call.
call GET /bff/session '' -H 'X-CSRF;'
[ "$STATUS" = 403 ] || call GET /bff/session '' -H 'X-CSRF: 0'
expect_problem 403 csrf
call GET /bff/session '' -H 'Origin: https://evil.example'
expect_problem 403 csrf
call GET /bff/session '' -H 'Origin: null'
expect_problem 403 csrf
call GET /bff/session '' -H 'Sec-Fetch-Site: cross-site'
expect_problem 403 csrf
call GET /bff/session '' -H 'Host: evil.example'
expect_problem 421 misdirected-request

# What is asked.
call POST /bff/nobody/start '{}'
expect 404
call POST /bff/standard/start '{"journey":"Backdoor"}'
expect 422
call POST /bff/standard/start '{"journey":'
expect_problem 400 malformed
call POST /bff/standard/start '{"journy":"Login"}'
expect_problem 400 malformed
call POST /bff/standard/start '{}' -H 'Content-Type: text/plain'
expect 415
call PUT /bff/standard/start '{}'
expect 405
call POST /bff/standard/next '{"flow":"f_AAAAAAAAAAAAAAAAAAAAAA","step":1,"values":{}}'
expect_problem 410 flow-expired

# Steps: the same answer twice reaches the provider once; another answer to a past step is stale.
start standard
first=$(credentials demo 'wrong')
call POST /bff/standard/next "$(jq -c '.values.IDToken9 = "x"' <<<"$first")"
expect_problem 422 invalid-answers
call POST /bff/standard/next "$first"
expect 200 .type failure .reason authentication-failed
failure=$BODY
call POST /bff/standard/next "$first"
expect 200 .type failure
[ "$BODY" = "$failure" ] || fail 'the same answer twice got two answers'
call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
expect_problem 410 flow-expired

start standard
call POST /bff/standard/next "$(jq -c '.step = 2' <<<"$(credentials demo 'Ch4ng3it!')")"
expect_problem 409 stale-step
[ "$(field .node.step)" = 1 ] || fail 'the problem does not carry the current node'
call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
expect 200 .type success

# A flow belongs to its browser.
start standard:guest
new_browser
call POST /bff/standard:guest/next "$(credentials demo 'Ch4ng3it!')"
expect_problem 410 flow-expired
done_with refusals
