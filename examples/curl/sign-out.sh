#!/usr/bin/env bash
# Signing out ends the tokens, the provider session and the cookie.
. "$(dirname "$0")/lib.sh"

sign_in demo
cp "$JAR" "$WORK/stolen"
call POST /bff/standard/logout '{}'
expect 204
call GET /bff/standard/user
expect_problem 401 signed-out

# The old cookie is worth nothing, even for somebody who kept a copy.
cp "$WORK/stolen" "$JAR"
call GET /bff/standard/user
expect_problem 401 signed-out
call GET /bff/session
expect 200 .authenticated false

# Two accounts side by side; one signs out.
new_browser
sign_in alice standard:alice
sign_in demo standard:demo
call GET /bff/standard:alice/user
expect 200 "$NAME" alice
call POST '/bff/logout?account=alice'
expect 204
call GET /bff/standard:alice/user
expect_problem 401 signed-out
call GET /bff/standard:demo/user
expect 200 "$NAME" demo
call POST /bff/logout
expect 204
call GET /bff/standard:demo/user
expect_problem 401 signed-out
done_with sign-out
