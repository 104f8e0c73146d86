# shellcheck shell=bash
# What the examples share: one browser (a cookie jar), one way to call, one way to check.
#
#   CLOAKROOM   address of the server, http://localhost:8080 unless set
#   ADMIN, SIMULATOR, LEDGER   those of the demo's other listeners
#   DIALECT     whose ways the demo's provider has: ping unless set, or openam
#   VERBOSE=1   shows every request and answer
#
# Needs curl and jq.

set -euo pipefail

CLOAKROOM=${CLOAKROOM:-http://localhost:8080}
ADMIN=${ADMIN:-http://127.0.0.1:8081}
SIMULATOR=${SIMULATOR:-http://127.0.0.1:8090}
LEDGER=${LEDGER:-http://127.0.0.1:8091}
DIALECT=${DIALECT:-ping}
# shellcheck disable=SC2034 # for the scripts
case $DIALECT in
    ping) PROVIDER_COOKIE=c5a8f09d31e7b264 NAME=.claims.preferred_username ;;
    openam) PROVIDER_COOKIE=iPlanetDirectoryPro NAME=.claims.sub ;;
    *) echo "DIALECT is ping or openam, not $DIALECT" >&2; exit 1 ;;
esac
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

# is_openam: whether the provider has the ways of OpenAM.
is_openam() { [ "$DIALECT" = openam ]; }

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

# step_up INSTANCE GOAL [CODE]: steps up with a one-time code; leaves the last answer for the caller to check.
step_up() {
    call POST "/bff/$1/start" "$(jq -nc --arg goal "$2" '{for: $goal}')"
    expect 200 .type continue
    FLOW=$(field .flow) STEP=$(field .step)
    one_time_code "$1" "${3:-424242}"
}

# one_time_code INSTANCE CODE: answers the page that asks for the code.
one_time_code() {
    call POST "/bff/$1/next" "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --arg code "$2" \
        '{flow: $flow, step: $step, values: {IDToken1: $code}}')"
}

# ask URL [curl options ...]: one request to a server that is not Cloakroom; sets STATUS and BODY.
ask() {
    local url=$1
    shift
    : >"$WORK/body"
    STATUS=$(curl -sS -o "$WORK/body" -D "$WORK/head" -w '%{http_code}' "$@" "$url")
    BODY=$(cat "$WORK/body")
    if [ -n "${VERBOSE-}" ]; then printf '  %s -> %s %s\n' "$url" "$STATUS" "$BODY" >&2; fi
}

# provider_journey NAME VALUE...: runs a journey at the provider itself, each VALUE the answer to one question, and on
# top of SSO when that is set; sets SSO. This is what Cloakroom does for a browser, and an app without one for itself.
provider_journey() {
    local name=$1 step upgrade='' options=(-X POST -H 'Content-Type: application/json' -H 'Accept-API-Version: resource=2.1')
    shift
    local place="$SIMULATOR/am/json/realms/root/realms/alpha/authenticate"
    [ -n "${SSO-}" ] && options+=(-b "$PROVIDER_COOKIE=$SSO")
    # OpenAM takes a session to upgrade in the address only, and ForceAuth only together with one.
    if ! is_openam; then
        upgrade='&ForceAuth=true'
    elif [ -n "${SSO-}" ]; then
        upgrade="&ForceAuth=true&sessionUpgradeSSOTokenId=$SSO"
    fi
    ask "$place?authIndexType=service&authIndexValue=$name$upgrade" "${options[@]}"
    while [ "$(field '.tokenId // empty')" = '' ] && [ $# -gt 0 ]; do
        expect 200
        step=$BODY
        for index in $(seq 0 $(($(jq '.callbacks | length' <<<"$step") - 1))); do
            step=$(jq -c --argjson i "$index" --arg value "$1" '.callbacks[$i].input[0].value = $value' <<<"$step")
            shift
        done
        ask "$place" "${options[@]}" --data-binary "$step"
    done
    expect 200 '.tokenId | length > 0' true
    SSO=$(field .tokenId)
}

# access_token CLIENT SECRET SCOPES: a token for the session SSO, by a code with PKCE; sets TOKEN.
access_token() {
    local verifier challenge place code redirect=https://app.example.com/callback
    verifier=$(openssl rand -hex 32)
    challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | basenc --base64url | tr -d =)
    place=$SIMULATOR/am/oauth2/realms/root/realms/alpha
    code=$(curl -sS -o "$WORK/body" -w '%{redirect_url}' -G -b "$PROVIDER_COOKIE=$SSO" "$place/authorize" \
        -d response_type=code -d "client_id=$1" -d "code_challenge=$challenge" -d code_challenge_method=S256 \
        --data-urlencode "scope=$3" --data-urlencode "redirect_uri=$redirect" -d state=s)
    code=$(sed -n 's/.*[?&]code=\([^&]*\).*/\1/p' <<<"$code")
    [ -n "$code" ] || fail "the provider gives no code to $1"
    ask "$place/access_token" -u "$(basic "$1" "$2")" \
        -d grant_type=authorization_code -d "code=$code" -d "code_verifier=$verifier" \
        --data-urlencode "redirect_uri=$redirect"
    expect 200 '.access_token | length > 0' true
    # shellcheck disable=SC2034 # for the scripts
    TOKEN=$(field .access_token)
}

# basic CLIENT SECRET: both for curl's -u, encoded before they are put together (RFC 6749 section 2.3.1), which OpenAM
# does not undo.
basic() {
    if is_openam; then
        printf '%s:%s' "$1" "$2"
    else
        printf '%s:%s' "$(jq -rn --arg v "$1" '$v | @uri')" "$(jq -rn --arg v "$2" '$v | @uri')"
    fi
}

# challenge PARAMETER: a parameter of the last answer's WWW-Authenticate field, read by Werkzeug (a parser that is not
# ours); empty when it is not there. `scheme` is the scheme.
challenge() {
    header www-authenticate | "$PARSER" -c '
import sys
try:
    from werkzeug.datastructures import WWWAuthenticate
    read = WWWAuthenticate.from_header
except (ImportError, AttributeError):
    from werkzeug.http import parse_www_authenticate_header as read
text = sys.stdin.read().strip()
challenge = read(text) if text else None
if challenge is not None:
    name = sys.argv[1]
    print((challenge.type if name == "scheme" else challenge.get(name)) or "")
' "$1"
}

# expect_challenge NAME VALUE ...: checks parameters of that field.
expect_challenge() {
    while [ $# -gt 1 ]; do
        local value
        value=$(challenge "$1")
        [ "$value" = "$2" ] || fail "the challenge has $1 '$value' instead of '$2': $(header www-authenticate)"
        shift 2
    done
    CHECKS=$((CHECKS + 1))
}

# need_parser: finds the Python that has Werkzeug, Debian's first.
need_parser() {
    for PARSER in /usr/bin/python3 python3; do
        if "$PARSER" -c 'import werkzeug' 2>/dev/null; then return; fi
    done
    echo "Werkzeug is missing: scripts/deps python3-werkzeug" >&2
    exit 1
}

# davinci_only NAME: DaVinci has one dialect; in the other one of AM there is nothing to try again.
davinci_only() {
    if is_openam; then
        done_with "davinci-$1 (ping only)"
        exit 0
    fi
}

# begin POLICY: begins a flow of DaVinci; sets FLOW and STEP.
INSTANCE=workforce
begin() {
    start "$INSTANCE" "{\"acrValues\":[\"$1\"]}"
    expect 200 .kind davinci
}

# send VALUES [ACTION [SECONDS]]: answers the page of DaVinci, with what was pressed; sets STEP where another page comes.
send() {
    call POST "/bff/$INSTANCE/next" "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --argjson values "$1" \
        --arg action "${2-}" --argjson wait "${3:-0}" \
        '{flow: $flow, step: $step, values: $values, wait: $wait} + if $action == "" then {} else {action: $action} end')"
    [ "$STATUS" = 200 ] && STEP=$(field '.step // empty')
    return 0
}

# code_of ADDRESS: the code of the last message to somebody; sets CODE.
code_of() {
    ask "$SIMULATOR/simulator/outbox"
    # shellcheck disable=SC2034 # for the scripts
    CODE=$(field "[.messages[] | select(.to == \"$1\")][0].code")
}

# page URL [curl options ...]: opens a page as a browser does, without following it; sets STATUS, BODY and PLACE.
page() {
    local url=$1
    shift
    ask "$url" -b "$JAR" -c "$JAR" "$@"
    # shellcheck disable=SC2034 # for the scripts
    PLACE=$(header location)
}

# fields: puts the hidden fields of the page shown last into FIELDS, as options of curl.
fields() {
    local pair
    FIELDS=()
    while IFS= read -r pair; do FIELDS+=(--data-urlencode "$pair"); done < <(
        grep -o 'type="hidden" name="[^"]*" value="[^"]*"' <<<"$BODY" \
            | sed 's/type="hidden" name="\([^"]*\)" value="\([^"]*\)"/\1=\2/; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g')
}

# decide allow|deny [USER]: what the user does at the other provider; leaves the way back in PLACE or BODY.
decide() {
    fields
    page "$SIMULATOR/social/decision" "${FIELDS[@]}" -d "user=${2:-demo}" -d "decision=$1"
}
