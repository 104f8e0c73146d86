# shellcheck shell=bash
# What the examples share: one browser (a cookie jar), one way to call, one way to check.
#
#   CLOAKROOM   address of the server, http://localhost:8080 unless set
#   VERBOSE=1   shows every request and answer
#
# Needs curl and jq.

set -euo pipefail

CLOAKROOM=${CLOAKROOM:-http://localhost:8080}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
JAR=$WORK/cookies
STATUS='' BODY='' CHECKS=0

# call METHOD PATH [JSON] [curl options ...]: sends one request as the SPA would; sets STATUS and BODY.
call() {
    local method=$1 path=$2 json=${3-}
    shift 2
    [ $# -gt 0 ] && shift
    local options=(-sS -X "$method" -b "$JAR" -c "$JAR" -o "$WORK/body" -D "$WORK/head" -w '%{http_code}')
    [ -n "$json" ] && options+=(-H 'Content-Type: application/json' --data-binary "$json")
    : >"$WORK/body"
    STATUS=$(curl "${options[@]}" -H 'X-CSRF: 1' "$@" "$CLOAKROOM$path")
    BODY=$(cat "$WORK/body")
    if [ -n "${VERBOSE-}" ]; then printf '  %s %s -> %s %s\n' "$method" "$path" "$STATUS" "$BODY" >&2; fi
}

# new_browser: forgets every cookie.
new_browser() { rm -f "$JAR"; }

# field FILTER: a member of the last answer, by a jq filter.
field() { jq -r "$1" <<<"$BODY"; }

# header NAME: a header field of the last answer.
header() { tr -d '\r' <"$WORK/head" | sed -n "s/^$1: //Ip" | tail -n 1; }

# expect STATUS [FILTER VALUE ...]: checks the last answer.
expect() {
    local status=$1
    shift
    [ "$STATUS" = "$status" ] || fail "status $STATUS instead of $status"
    while [ $# -gt 1 ]; do
        local value
        value=$(field "$1") || fail "not JSON"
        [ "$value" = "$2" ] || fail "$1 is '$value' instead of '$2'"
        shift 2
    done
    CHECKS=$((CHECKS + 1))
}

# expect_problem STATUS NAME: checks that the last answer is that problem document.
expect_problem() {
    expect "$1" .type "/problems/$2" .status "$1"
    case $(header content-type) in
        application/problem+json*) ;;
        *) fail "content type $(header content-type)" ;;
    esac
}

fail() {
    printf 'FAILED: %s\n  %s\n' "$*" "${BODY:0:400}" >&2
    exit 1
}

done_with() { printf 'ok    %-28s %d checks\n' "$1" "$CHECKS"; }

# start [INSTANCE] [JSON]: begins a flow; sets FLOW and STEP.
start() {
    call POST "/bff/${1:-standard}/start" "${2:-{\}}"
    expect 200
    FLOW=$(field '.flow // empty') STEP=$(field '.step // empty')
}

# credentials USER PASSWORD: the answer to the journey's first page.
credentials() {
    jq -nc --arg flow "$FLOW" --argjson step "$STEP" --arg user "$1" --arg password "$2" \
        '{flow: $flow, step: $step, values: {IDToken1: $user, IDToken2: $password}}'
}

# sign_in [USER] [INSTANCE]: signs a demo user in.
sign_in() {
    start "${2:-standard}"
    call POST "/bff/${2:-standard}/next" "$(credentials "${1:-demo}" 'Ch4ng3it!')"
    expect 200 .type success .signedIn true
}
