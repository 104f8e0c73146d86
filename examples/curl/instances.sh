#!/usr/bin/env bash
# The calls of docs/instances.md: one session with two tokens, two users beside each other, and how a browser lists them.
. "$(dirname "$0")/lib.sh"

cloakroom() {
    local method=$1 path=$2
    shift 2
    curl -sS -X "$method" -b "$JAR" -c "$JAR" -H 'X-CSRF: 1' -H 'Content-Type: application/json' "$@" \
        "$CLOAKROOM$path" | tee "$WORK/body"
}

# What the page that came last wants of a user, with its flow and step.
answers() { jq -c --arg user "$1" '{flow, step, values: {IDToken1: $user, IDToken2: "Ch4ng3it!"}}' "$WORK/body"; }
code() { jq -c '{flow, step, values: {IDToken1: "424242"}}' "$WORK/body"; }

both_tokens() {
    cloakroom POST /bff/standard/start --data '{}'
    cloakroom POST /bff/standard/next --data "$(answers demo)"
    cloakroom POST /bff/transaction/start --data '{"for": "high-value"}'
    cloakroom POST /bff/transaction/next --data "$(code)"
    cloakroom GET /bff/standard/user
    cloakroom GET /bff/transaction/user
}

by_reference() {
    cloakroom POST /bff/transaction/token/refresh
    cloakroom POST /bff/transaction/logout
    cloakroom POST /bff/logout
}

two_users() {
    cloakroom POST /bff/standard:alice/start --data '{}'
    cloakroom POST /bff/standard:alice/next --data "$(answers alice)"
    cloakroom POST /bff/standard:demo/start --data '{}'
    cloakroom POST /bff/standard:demo/next --data "$(answers demo)"
    cloakroom GET /bff/standard:alice/user
    cloakroom GET /bff/standard:demo/user
    cloakroom POST '/bff/logout?account=alice'
}

map_of_clients() {
    cloakroom GET /bff/session | jq -r '.instances[] | "\(.instance) \(.state)"'
}

list_of_users() {
    cloakroom GET /bff/session | jq -r '.accounts[]'
    cloakroom POST /bff/logout
}

both_tokens >/dev/null
call GET /bff/standard/user
expect 200 "$NAME" demo '.token.scope | index("WRITE_TRANSACTION")' null
call GET /bff/transaction/user
expect 200 '.token.scope | index("WRITE_TRANSACTION") != null' true
STATUS='' BODY=$(map_of_clients)
[[ $BODY == *'standard authenticated'* && $BODY == *'transaction authenticated'* ]] || fail 'the map of clients'
by_reference >/dev/null
call GET /bff/standard/user
expect_problem 401 signed-out

new_browser
two_users >/dev/null
call GET /bff/standard:alice/user
expect_problem 401 signed-out
call GET /bff/standard:demo/user
expect 200 "$NAME" demo
STATUS='' BODY=$(list_of_users)
[[ $BODY == *demo* && $BODY != *alice* ]] || fail 'the list of users'
call GET /bff/standard:demo/user
expect_problem 401 signed-out
done_with instances
