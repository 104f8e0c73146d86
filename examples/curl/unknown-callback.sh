#!/usr/bin/env bash
# A question of a type that the server does not know: the SPA is told so, with the provider's name of the type, and the
# journey goes on with the question as it came.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'unknown-callback (ping only)'
    exit 0
fi

start standard '{"journey":"Strange"}'
expect 200 .type continue '.callbacks | map(.type) | join(" ")' 'NameCallback UnsupportedCallback PasswordCallback' \
    '.callbacks[1].providerType' HologramCallback '.callbacks[1] | has("answer")' false \
    '.callbacks[1].outputs.prompt' 'Wave at the camera'
call POST /bff/standard/next "$(jq -c '.values |= {IDToken1, IDToken3: .IDToken2}' <<<"$(credentials demo 'Ch4ng3it!')")"
expect 200 .type success .signedIn true
done_with unknown-callback
