#!/usr/bin/env bash
# Two servers that share one store: each request may go to another one, and one that is away costs a 503 at most.
#
#   CLOAKROOM=http://localhost:PORT examples/curl/cluster.sh    at a cluster of scripts/cluster-demo, or at any server
. "$(dirname "$0")/lib.sh"

# again METHOD PATH [JSON] [curl options ...]: like call, and sends the same bytes again while the answer is 503 with
# Retry-After, as an app does. Every other answer counts.
again() {
    for _ in $(seq 30); do
        call "$@"
        [ "$STATUS" = 503 ] || return 0
        [ -n "$(header retry-after)" ] || fail 'a 503 without Retry-After'
        sleep "$(header retry-after)"
    done
    fail 'still 503 after 30 tries'
}

# flow INSTANCE START VALUES: goes through a flow of one page; its page was made by one server, and its answer may go to
# another. If a server is killed while it sends the answer to the provider, nobody knows the outcome: the flow begins anew.
flow() {
    for _ in 1 2 3; do
        again POST "/bff/$1/start" "$2"
        expect 200 .type continue
        again POST "/bff/$1/next" "$(jq -nc --arg flow "$(field .flow)" --argjson step "$(field .step)" --argjson values "$3" \
            '{flow: $flow, step: $step, values: $values}')"
        [ "$(field '.reason // empty')" = outcome-unknown ] || break
    done
    expect 200 .type success .signedIn true
}

flow standard '{}' '{"IDToken1":"demo","IDToken2":"Ch4ng3it!"}'
for _ in 1 2 3 4; do
    again GET /bff/standard/user
    expect 200 "$NAME" demo
done

again GET /api/accounts
expect 200 '.accounts | length' 2

# A step-up: the refusal, the page and the answer may each be another server's.
pay='{"from":"checking","to":"savings","amount":"1.00"}'
again POST /api/transactions "$pay"
expect_problem 403 step-up-required
flow transaction '{"for":"high-value"}' '{"IDToken1":"424242"}'
again POST /api/transactions "$pay"
# A server that is killed at this moment may have passed it on: nobody repeats a transfer that may have been done.
[ "$STATUS" = 502 ] || expect 201 .amount 1.00

# Tabs that renew at once share one renewal, whatever server each of them reaches.
for tab in $(seq 6); do
    curl -sS -o "$WORK/tab$tab" -w '%{http_code}\n' -b "$JAR" -H 'X-CSRF: 1' -X POST \
        "$CLOAKROOM/bff/standard/token/refresh" >"$WORK/status$tab" &
done
wait
for tab in $(seq 6); do
    # shellcheck disable=SC2034 # expect reads them
    STATUS=$(cat "$WORK/status$tab") BODY=$(cat "$WORK/tab$tab")
    case $STATUS in 200 | 503) CHECKS=$((CHECKS + 1)) ;; *) fail "status $STATUS for tab $tab" ;; esac
done
again POST /bff/standard/token/refresh
expect 200 "$NAME" demo

# Signed out at one server is signed out at all of them.
again POST /bff/logout
expect 204
for _ in 1 2 3 4; do
    again GET /bff/standard/user
    expect_problem 401 signed-out
done
done_with cluster
