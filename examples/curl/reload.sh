#!/usr/bin/env bash
# The page is reloaded in the middle of a flow: the SPA finds the flow in the session and shows its page again.
. "$(dirname "$0")/lib.sh"

start standard
call GET /bff/session
expect 200 '.instances[] | select(.instance == "standard") | .state' in-progress
flow=$(field '.instances[] | select(.instance == "standard") | .flows[0]')
[ "$flow" = "$FLOW" ] || fail 'the session does not name the flow'

call GET "/bff/standard/flows/$flow"
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
