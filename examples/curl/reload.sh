#!/usr/bin/env bash
# The page is reloaded in the middle of a flow: the tab kept the flow's id, as in its sessionStorage, and shows its page again.
. "$(dirname "$0")/lib.sh"

start standard
call GET /bff/session
expect 200 '.instances[] | select(.instance == "standard") | .state' in-progress
expect 200 '.instances[] | select(.instance == "standard") | .flows' 1
# The session says how many flows there are, not which: a tab that lost the id begins anew.
case "$BODY" in *"$FLOW"*) fail 'the session names a flow' ;; esac

call GET "/bff/standard/flows/$FLOW"
expect 200 .type continue .flow "$FLOW" .step 1 '.callbacks | length' 2

call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
expect 200 .type success .signedIn true

# Cancelled flows are gone.
new_browser
start standard
call DELETE "/bff/standard/flows/$FLOW"
expect 204
call GET "/bff/standard/flows/$FLOW"
expect_problem 410 flow-expired
done_with reload
