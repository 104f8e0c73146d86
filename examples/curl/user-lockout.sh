#!/usr/bin/env bash
# Wrong passwords lock the account at the provider; the SPA shows the provider's own words.
. "$(dirname "$0")/lib.sh"

locked='User Locked Out.' message=''
is_openam && locked='Your account has been locked.'
for _ in $(seq 6); do
    start standard
    call POST /bff/standard/next "$(credentials bob 'wrong')"
    expect 200 .type failure .reason authentication-failed
    message=$(field .message)
done
[ "$message" = "$locked" ] || fail "the last message is '$message'"
start standard
call POST /bff/standard/next "$(credentials bob 'Ch4ng3it!')"
expect 200 .type failure .message "$locked"
done_with user-lockout
