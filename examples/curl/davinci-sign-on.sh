#!/usr/bin/env bash
# Sign-on by a DaVinci flow: a page with two submit buttons, a wrong password, another way and back; then who it is, and a start
# that the session at PingOne answers by itself.
. "$(dirname "$0")/lib.sh"
davinci_only sign-on

begin SignOn
expect 200 .type continue .name 'Sign On' '[.collectors[].id] | join(" ")' 'username password SIGNON REGISTER TROUBLE HELP' \
    '.collectors[0].answer.autocomplete' username '.collectors[1].answer.writeOnly' true
case $BODY in *interaction* | *_links* | *connections*) fail "a page carries what is the flow's own" ;; esac

# Two buttons send the page, so one of them has to be named. Nothing was sent.
send '{"username":"demo","password":"wrong"}'
expect_problem 422 invalid-answers
expect 422 '.fields[0].id' SIGNON '.fields[0].code' required

# A wrong password: the page again, as a new step, with what was typed but the password.
send '{"username":"demo","password":"wrong"}' SIGNON
expect 200 .type error .step 2 '.message | length > 0' true '.collectors[0].value' demo '.collectors[1] | has("value")' false
case $BODY in *failuresRemaining*) fail 'an answer tells how many tries are left' ;; esac

# Another way on needs no answer.
send '{}' HELP
expect 200 .type continue .name Help '.collectors[0].content' 'The help desk resets passwords.'
send '{}' BACK
expect 200 .name 'Sign On'

send '{"username":"demo","password":"Ch4ng3it!"}' SIGNON
expect 200 .type success .signedIn true .user.claims.preferred_username demo
call GET /bff/workforce/user
expect 200 .token.acr SignOn '.token.amr[0]' pwd '.session | length' 0
case $BODY in *eyJ*) fail 'an answer carries a token' ;; esac

# The session lives at PingOne: the next start needs no page.
begin SignOn
expect 200 .type success .signedIn true
done_with davinci-sign-on
