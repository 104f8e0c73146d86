#!/usr/bin/env bash
# A passkey: registered after name and password, then used to sign in without one. The key is made by openssl, and what a
# browser's navigator.credentials would give is put together here.
. "$(dirname "$0")/lib.sh"

if is_openam; then
    done_with 'passkey (ping only)'
    exit 0
fi

base64url() { basenc --base64url -w 0 | tr -d '='; }

# bytes HEX...: writes bytes.
bytes() { printf '%s' "$@" | tr a-f A-F | basenc --base16 -d; }

# client_data TYPE CHALLENGE: what the browser says of the page.
client_data() {
    printf '{"type":"%s","challenge":"%s","origin":"%s","crossOrigin":false}' "$1" "$2" "$CLOAKROOM"
}

# authenticator_data RP_ID FLAGS COUNTER: what the authenticator says of itself; both numbers in hexadecimal.
authenticator_data() {
    printf %s "$1" | openssl dgst -sha256 -binary
    bytes "$2" "$3"
}

# answer ID JSON: answers the question ID of the page; all others stay as they are.
answer() {
    call POST /bff/standard/next "$(jq -nc --arg flow "$FLOW" --argjson step "$STEP" --arg id "$1" --argjson json "$2" \
        '{flow: $flow, step: $step, values: {($id): $json}}')"
}

# sign CHALLENGE COUNTER: the credential that signs a challenge, as toJSON() has it.
sign() {
    client_data webauthn.get "$1" >"$WORK/client"
    authenticator_data "$RP_ID" 05 "$2" >"$WORK/data"
    { cat "$WORK/data"; openssl dgst -sha256 -binary "$WORK/client"; } |
        openssl dgst -sha256 -sign "$WORK/key.pem" -out "$WORK/signature"
    jq -nc --arg id "$ID" --arg client "$(base64url <"$WORK/client")" --arg data "$(base64url <"$WORK/data")" \
        --arg signature "$(base64url <"$WORK/signature")" \
        '{credential: {id: $id, rawId: $id, type: "public-key", authenticatorAttachment: "platform",
          response: {clientDataJSON: $client, authenticatorData: $data, signature: $signature}}}'
}

# The question for a new credential, after name and password.
start standard '{"journey":"RegisterDevice"}'
call POST /bff/standard/next "$(credentials demo 'Ch4ng3it!')"
expect 200 .type continue '.callbacks | length' 1 '.callbacks[0].specialised' webauthn_registration
STEP=$(field .step) RP_ID=$(field '.callbacks[0].publicKey.rp.id')

# A key on P-256 (in COSE: the type, the algorithm, the curve, the point), and an id for it.
openssl ecparam -name prime256v1 -genkey -noout -out "$WORK/key.pem" 2>"$WORK/openssl"
openssl ec -in "$WORK/key.pem" -pubout -outform DER 2>"$WORK/openssl" | tail -c 64 >"$WORK/point"
openssl rand 16 >"$WORK/id"
ID=$(base64url <"$WORK/id")
{
    authenticator_data "$RP_ID" 45 00000000
    bytes 00000000000000000000000000000000 0010
    cat "$WORK/id"
    bytes A50102032620012158 20
    head -c 32 "$WORK/point"
    bytes 225820
    tail -c 32 "$WORK/point"
} >"$WORK/data"
{
    # {"fmt": "none", "attStmt": {}, "authData": …}
    bytes A363666D74646E6F6E656761747453746D74A06861757468446174615894
    cat "$WORK/data"
} >"$WORK/attestation"
client_data webauthn.create "$(field '.callbacks[0].publicKey.challenge')" >"$WORK/client"
answer "$(field '.callbacks[0].id')" "$(jq -nc --arg id "$ID" --arg client "$(base64url <"$WORK/client")" \
    --arg attestation "$(base64url <"$WORK/attestation")" \
    '{credential: {id: $id, rawId: $id, type: "public-key", authenticatorAttachment: "platform",
      response: {clientDataJSON: $client, attestationObject: $attestation}}, deviceName: "openssl"}')"
expect 200 .type success .signedIn true

# Signing in with it: only the name is typed.
new_browser
start standard '{"journey":"Passkey"}'
answer IDToken1 '"demo"'
expect 200 .type continue '.callbacks[0].specialised' webauthn_authentication \
    ".callbacks[0].publicKey.allowCredentials | any(.id == \"$ID\")" true
STEP=$(field .step) QUESTION=$(field '.callbacks[0].id') CHALLENGE=$(field '.callbacks[0].publicKey.challenge')

# What was not made for this page never reaches the provider, and the page stays open.
answer "$QUESTION" "$(sign "$(printf 'another page' | base64url)" 00000001)"
expect_problem 422 invalid-answers
expect 422 '.fields[0].code' wrong-challenge
answer "$QUESTION" "$(sign "$CHALLENGE" 00000002)"
expect 200 .type success .signedIn true ".user$NAME" demo

# The user may say no, and the journey decides what follows.
new_browser
start standard '{"journey":"Passkey"}'
answer IDToken1 '"demo"'
STEP=$(field .step)
answer "$(field '.callbacks[0].id')" '{"error":{"name":"NotAllowedError","message":"The user said no."}}'
expect 200 .type failure .reason authentication-failed
done_with passkey
