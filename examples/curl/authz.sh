#!/usr/bin/env bash
# Bearer callers: a reverse proxy asks /authz/{requirement} before it lets a request through.
. "$(dirname "$0")/lib.sh"

need_parser
# Access tokens of OpenAM say nothing of how strong a sign-in was: what can be asked of them has a name of its own.
place=$ADMIN/authz/high-value
is_openam && place=$ADMIN/authz/transfer

# Without a token: what to bring, and nothing about what the requirement is.
ask "$place"
expect 401
expect_challenge scheme bearer error '' scope '' acr_values ''
ask "$place" -H 'Authorization: Bearer not-a-token'
expect 401
expect_challenge error invalid_token scope '' acr_values '' max_age ''

# A good token that is too weak: what to ask the provider for (RFC 9470).
SSO=''
provider_journey Login demo 'Ch4ng3it!'
access_token bff 's/ecret+1' 'openid profile'
weak=$TOKEN
ask "$place" -H "Authorization: Bearer $weak"
if is_openam; then
    expect 403
    expect_challenge scheme bearer error insufficient_scope scope WRITE_TRANSACTION
    ask "$ADMIN/authz/high-value" -H "Authorization: Bearer $weak"
fi
expect 401
expect_challenge scheme bearer error insufficient_user_authentication acr_values gold max_age 300 scope WRITE_TRANSACTION

# After a step-up at the provider the same caller passes, and the API behind learns who it is.
provider_journey StepUp 424242
access_token bff-tx 'tx:s%cret' 'openid WRITE_TRANSACTION'
strong=$TOKEN
ask "$place" -H "Authorization: Bearer $strong"
expect 204
is_openam || [ "$(header x-auth-level)" = 3 ] || fail "X-Auth-Level is '$(header x-auth-level)'"
case " $(header x-auth-scope) " in *' WRITE_TRANSACTION '*) ;; *) fail "X-Auth-Scope is '$(header x-auth-scope)'" ;; esac
[ -n "$(header x-auth-subject)" ] || fail 'there is no X-Auth-Subject'

# Strong, without the scope.
access_token bff 's/ecret+1' 'openid profile'
ask "$place" -H "Authorization: Bearer $TOKEN"
expect 403
expect_challenge error insufficient_scope scope WRITE_TRANSACTION acr_values ''

# Forged: a claim changed, a signature cut, no signature, of another scheme, twice.
head=${strong%%.*} rest=${strong#*.}
body=${rest%%.*} signature=${rest#*.}
decode() { tr '_-' '/+' <<<"$1$(printf '%.0s=' $(seq $(((4 - ${#1} % 4) % 4))))" | tr -d '\n' | base64 -d 2>/dev/null || true; }
encode() { basenc --base64url -w 0 | tr -d =; }
forged=$(decode "$body" | jq -c '.auth_level = 9' | tr -d '\n' | encode)
none=$(printf '{"typ":"JWT","alg":"none"}' | encode)
for token in "$head.$forged.$signature" "$head.$body.${signature%????}" "$none.$body." "$head.$body.$head"; do
    ask "$place" -H "Authorization: Bearer $token"
    expect 401
    expect_challenge error invalid_token
done
ask "$place" -H "Authorization: Bearer $strong" -H "Authorization: Bearer $strong"
[ "$STATUS" = 400 ] || [ "$STATUS" = 401 ] || fail "two tokens got $STATUS"
ask "$ADMIN/authz/unknown" -H "Authorization: Bearer $strong"
[ "$STATUS" != 204 ] || fail 'an unknown requirement lets everybody through'

# Expired: issued when the provider's clock was two hours behind.
faults() { ask "$SIMULATOR/simulator/faults" "$@"; }
faults -H 'Content-Type: application/json' -d '{"clockOffsetSeconds":-7200}'
SSO=''
provider_journey Login demo 'Ch4ng3it!'
access_token bff 's/ecret+1' 'openid profile'
old=$TOKEN
faults -X DELETE
ask "$place" -H "Authorization: Bearer $old"
expect 401
expect_challenge error invalid_token acr_values ''

# The API takes the same tokens and makes the same demands of its own.
ask "$LEDGER/api/accounts" -H "Authorization: Bearer $weak"
expect 200 '.accounts | length' 2
pay=(-H 'Content-Type: application/json' -d '{"from":"checking","to":"savings","amount":"1.00"}')
ask "$LEDGER/api/transactions" -H "Authorization: Bearer $weak" "${pay[@]}"
if is_openam; then
    expect 403
    expect_challenge realm ledger error insufficient_scope scope WRITE_TRANSACTION
else
    expect 401
    expect_challenge realm ledger error insufficient_user_authentication acr_values gold max_age 300
fi
ask "$LEDGER/api/transactions" -H "Authorization: Bearer $strong" "${pay[@]}"
expect 201 .amount 1.00

# Revoked: the provider is asked about tokens that have to be strong, where it tells us.
oauth=$SIMULATOR/am/oauth2/realms/root/realms/alpha
ask "$oauth/token/revoke" -u "$(basic bff-tx 'tx:s%cret')" -d "token=$strong"
expect 200
if is_openam; then
    ask "$oauth/introspect" -u "$(basic bff-tx 'tx:s%cret')" -d "token=$strong"
    expect 200 .active false
else
    ask "$place" -H "Authorization: Bearer $strong"
    expect 401
    expect_challenge error invalid_token
fi
done_with authz
