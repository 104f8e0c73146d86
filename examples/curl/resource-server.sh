#!/usr/bin/env bash
# The program of examples/resource-server, which has never heard of Cloakroom: bearer tokens straight from the provider.
. "$(dirname "$0")/lib.sh"
# It asks for a level, which tokens of OpenAM do not have.
if is_openam; then done_with 'resource-server (ping only)'; exit 0; fi
need_parser

program=${EXAMPLE:-$(dirname "$0")/../../.build/debug/LedgerExample}
[ -x "$program" ] || { echo "$program is missing: run 'swift build --product LedgerExample'" >&2; exit 1; }
"$program" --port 0 --issuer "$SIMULATOR/am/oauth2/realms/root/realms/alpha" --audience bff --audience bff-tx >"$WORK/log" &
pid=$!
trap 'kill "$pid" 2>/dev/null; rm -rf "$WORK"' EXIT
for _ in $(seq 200); do
    grep -q '^ready ' "$WORK/log" && break
    kill -0 "$pid" 2>/dev/null || fail 'the program ended'
    sleep 0.05
done
api=$(sed -n 's/^ready //p' "$WORK/log")
[ -n "$api" ] || fail 'the program did not get ready'
pay=(-H 'Content-Type: application/json' -d '{"from":"checking","to":"savings","amount":"12.50"}')

# Routes and methods first: nobody needs a token to learn that there is nothing.
ask "$api/api/nothing"
expect 404
ask "$api/api/accounts" -X DELETE
expect 405
[ "$(header allow)" = 'GET, HEAD' ] || fail "Allow is '$(header allow)'"

# No token, a wrong scheme, a token in the query, nonsense.
ask "$api/api/accounts"
expect 401
expect_challenge scheme bearer realm ledger error ''
ask "$api/api/accounts" -u demo:demo
expect 401
expect_challenge error ''
ask "$api/api/accounts?access_token=x" -H 'Authorization: Bearer x'
expect 400
expect_challenge error invalid_request
ask "$api/api/transactions" -H 'Authorization: Bearer x.y.z' "${pay[@]}"
expect 401 '.required' null
expect_challenge error invalid_token acr_values ''

# A user: reading is open, moving money is not.
SSO=''
provider_journey Login alice 'Ch4ng3it!'
access_token bff 's/ecret+1' 'openid profile'
auth=(-H "Authorization: Bearer $TOKEN")
ask "$api/api/accounts" "${auth[@]}"
expect 200 '.accounts[0].balance' 1250.00
[ "$(header cache-control)" = no-store ] || fail 'the answer may be cached'
ask "$api/api/transactions" "${auth[@]}" "${pay[@]}"
expect 401 .required.authLevel 3 '.required.amr.any[0]' biometric
expect_challenge error insufficient_user_authentication acr_values gold max_age 300 scope WRITE_TRANSACTION

# The user after a step-up: orders are checked like any other input.
provider_journey StepUp 424242
access_token bff-tx 'tx:s%cret' 'openid WRITE_TRANSACTION'
auth=(-H "Authorization: Bearer $TOKEN")
ask "$api/api/transactions" "${auth[@]}" "${pay[@]}"
expect 201 .amount 12.50
ask "$api/api/accounts" "${auth[@]}"
expect 200 '.accounts[0].balance' 1237.50 '.accounts[1].balance' 9812.50
json=(-H 'Content-Type: application/json')
ask "$api/api/transactions" "${auth[@]}" -d 'amount=1.00'
expect 415
ask "$api/api/transactions" "${auth[@]}" "${json[@]}" -d '{'
expect 400
ask "$api/api/transactions" "${auth[@]}" "${json[@]}" -d '{"from":"checking","to":"savings","amount":12.5}'
expect 400
for amount in 0.00 -1.00 1.005 1e3 99999999.00; do
    ask "$api/api/transactions" "${auth[@]}" "${json[@]}" -d "{\"from\":\"checking\",\"to\":\"savings\",\"amount\":\"$amount\"}"
    expect 422
done
ask "$api/api/transactions" "${auth[@]}"
expect 200 '.transactions | length' 1

# Somebody else sees nothing of it.
SSO=''
provider_journey Login demo 'Ch4ng3it!'
access_token bff 's/ecret+1' 'openid profile'
ask "$api/api/transactions" -H "Authorization: Bearer $TOKEN"
expect 200 '.transactions | length' 0
done_with resource-server
