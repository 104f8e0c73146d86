#!/usr/bin/env bash
# A user signs in with the journey "Login": start, answer the page, signed in.
. "$(dirname "$0")/lib.sh"

call GET /bff/session
expect 200 .authenticated false

start standard
expect 200 .type continue .kind journey .step 1 '.callbacks | map(.type) | join(" ")' 'NameCallback PasswordCallback'
cookie_before=$(cut -f7 <(grep -v '^# ' "$JAR" | tail -n 1))

call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
expect 200 .type success .signedIn true ".user$NAME" demo .user.session.realm /alpha

# The session has a new id, and no answer carries a token.
cookie_after=$(cut -f7 <(grep -v '^# ' "$JAR" | tail -n 1))
[ "$cookie_before" != "$cookie_after" ] || fail 'the session kept its id at sign-in'
case $BODY in *eyJ* | *tokenId* | *authId*) fail 'an answer carries a token' ;; esac

call GET /bff/session
expect 200 .authenticated true '.instances[] | select(.instance == "standard") | .state' authenticated
done_with sign-in
