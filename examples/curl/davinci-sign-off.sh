#!/usr/bin/env bash
# Signing off: revoking the tokens leaves the session at PingOne, and the next start signs on at once; a logout ends both.
. "$(dirname "$0")/lib.sh"
davinci_only sign-off

begin SignOn
send '{"username":"demo","password":"Ch4ng3it!"}' SIGNON
expect 200 .type success .signedIn true

call POST /bff/workforce/token/revoke
expect 204
call GET /bff/workforce/user
expect_problem 401 signed-out
begin SignOn
expect 200 .type success .signedIn true .user.claims.preferred_username demo

# A journey beside it is another session: each ends alone.
sign_in alice
cp "$JAR" "$WORK/stolen"
call POST /bff/workforce/logout '{}'
expect 204
call GET /bff/workforce/user
expect_problem 401 signed-out
call GET /bff/standard/user
expect 200 "$NAME" alice
begin SignOn
expect 200 .type continue .name 'Sign On'

# The old cookie is worth nothing, even for somebody who kept a copy.
call POST /bff/logout
expect 204
cp "$WORK/stolen" "$JAR"
call GET /bff/standard/user
expect_problem 401 signed-out
done_with davinci-sign-off
