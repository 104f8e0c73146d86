#!/usr/bin/env bash
# What an SPA may know of its user: subject, claims and facts about the token, never the token.
. "$(dirname "$0")/lib.sh"

call GET /bff/standard/user
expect_problem 401 signed-out

sign_in demo
call GET /bff/standard/user
expect 200 "$NAME" demo '.token.scope | index("openid") != null' true '.token.expiresIn > 0' true \
    '.expiresIn.idle > 0' true .claims.given_name Dana

call GET '/bff/standard/user?refresh=true'
expect 200 "$NAME" demo
done_with user
