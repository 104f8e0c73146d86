# shellcheck shell=bash
# Two servers on one Redis behind nginx, each on a free port of this machine, with an identity simulator and a ledger.
# scripts/cluster-demo and scripts/cluster-test use it.
#
#   SERVER, DEMO    other programs than those of the debug build
#
# Redis speaks TLS with the settings of examples/cluster/secrets.sh, and nginx takes examples/cluster/nginx.conf; both but
# for addresses, ports and folders. All that was started ends with the script that uses this.

server=${SERVER:-.build/debug/cloakroom}
demo=${DEMO:-.build/debug/cloakroom-demo}
for program in "$server" "$demo"; do
    [ -x "$program" ] || { echo "$program is missing: run 'make build'" >&2; exit 1; }
done
PATH=$PATH:/usr/sbin
for tool in nginx redis-server curl jq openssl; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: scripts/deps nginx-light curl jq" >&2; exit 1; }
done

work=$(mktemp -d)
chmod 700 "$work"
declare -A pids=()
finish() {
    # The servers first, so that they end with their store.
    for name in one two nginx edge lost demo redis; do
        [ -z "${pids[$name]-}" ] || kill "${pids[$name]}" 2>/dev/null || true
        [ -z "${pids[$name]-}" ] || wait "${pids[$name]}" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
fail() {
    printf 'FAILED: expected %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  found: %s\n' "$2" >&2
    for log in "$work"/*.log; do [ ! -s "$log" ] || { echo "  ${log##*/}:"; tail -n 8 "$log"; } >&2; done
    exit 1
}
free_port() {
    local port
    for _ in $(seq 100); do
        port=$((20000 + RANDOM % 12000))
        if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue; fi
        echo "$port"
        return 0
    done
    fail 'a free port'
}
# until_ready WHAT COMMAND...: tries for 30 s.
until_ready() {
    local what=$1
    shift
    for _ in $(seq 300); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    fail "$what within 30 s"
}

start_redis() {
    redis-server "$work/redis.conf" >"$work/redis.log" 2>&1 &
    pids[redis]=$!
}

# serve NAME: starts one of the servers; its port and admin port stay the same.
serve() {
    "$server" serve --config "$work/$1.yaml" >>"$work/$1.log" 2>&1 &
    pids[$1]=$!
}
is_ready() { curl -sf "http://127.0.0.1:${admin[$1]}/readyz"; }

# settings NAME KEYS: writes the settings of a server, with these lists of keys.
settings() {
    cat >"$work/$1.yaml" <<YAML
server:
  listen: 127.0.0.1:${port[$1]}
  publicUrl: http://localhost:$front
  insecureHttp: true
  trustedPeers: [127.0.0.1]
  admin: 127.0.0.1:${admin[$1]}
  drain: 5s
  rates: { peer: off, anonymous: off, account: off }
session:
  store: rediss://localhost:$redis/0
  redis: { user: cloakroom, passwordFile: $work/secrets/redis-password, caFile: $work/secrets/redis-ca.pem }
  keys: [$2]
clients:
  standard:
    type: journey
    serverUrl: $simulator/am
    insecureHttp: true
    realm: alpha
    journeys: [Login]
    oidc:
      clientId: bff
      clientSecretFile: $work/secrets/client
      scopes: [openid, profile, email]
      redirectUri: https://app.example.com/callback
  transaction:
    type: journey
    serverUrl: $simulator/am
    insecureHttp: true
    realm: alpha
    journeys: [StepUp]
    tokenStorage: transaction
    minimum: high-value
    limits: { absolute: 5m }
    oidc:
      clientId: bff-tx
      clientSecretFile: $work/secrets/client-tx
      scopes: [openid, WRITE_TRANSACTION]
      redirectUri: https://app.example.com/callback
requirements:
  high-value: { scopes: [WRITE_TRANSACTION], authLevel: 3, amr: { any: [biometric] }, maxAge: 5m, stepUp: transaction, challengeAcr: gold }
routes:
  - { path: /api/accounts, upstream: "$ledger/api/accounts", methods: [GET], clients: [standard], require: signed-in }
  - { path: /api/transactions, upstream: "$ledger/api/transactions", methods: [POST], clients: [standard, transaction], require: high-value }
issuers:
  - { issuer: "$simulator/am/oauth2/alpha", profile: am, audiences: [bff, bff-tx], insecureHttp: true }
YAML
    chmod 600 "$work/$1.yaml"
}

# start_nginx NAME FRONT ONE TWO [CHANGE [FOLDER]]: nginx with the file of the example on port FRONT, before servers on the
# ports ONE and TWO; with a change of sed's, in a folder that is called otherwise.
start_nginx() {
    local folder=$work/${6-$1}
    mkdir "$folder"
    # On this machine without TLS in front: browsers take such a cookie from localhost alone.
    sed -e "s,server one:8080,server 127.0.0.1:$3," -e "s,server two:8080,server 127.0.0.1:$4," \
        -e "s,listen 443 ssl http2,listen 127.0.0.1:$2," -e '/ssl_/d' -e 's,app.example.com,localhost,' -e "${5-}" \
        examples/cluster/nginx.conf >"$folder/site.conf"
    cat >"$folder/nginx.conf" <<NGINX
pid $folder/pid;
daemon off;
worker_processes 1;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path $folder/a;
    proxy_temp_path $folder/b;
    fastcgi_temp_path $folder/c;
    uwsgi_temp_path $folder/d;
    scgi_temp_path $folder/e;
    include $folder/site.conf;
}
NGINX
    nginx -e stderr -p "$folder" -c "$folder/nginx.conf" >"$folder.log" 2>&1 &
    pids[$1]=$!
}

# start_cluster: starts everything; sets front, redis, simulator, ledger, port and admin.
start_cluster() {
    declare -gA port=() admin=()
    front=${FRONT:-$(free_port)}
    port[one]=$(free_port) port[two]=$(free_port) admin[one]=$(free_port) admin[two]=$(free_port) redis=$(free_port)

    "$demo" --port 0 --admin-port 0 --simulator-port 0 --ledger-port 0 --json >"$work/demo" 2>"$work/demo.log" &
    pids[demo]=$!
    CLOAKROOM=$server examples/cluster/secrets.sh "$work/secrets" >/dev/null
    printf 's/ecret+1\n' >"$work/secrets/client"
    printf 'tx:s%%cret\n' >"$work/secrets/client-tx"
    chmod 600 "$work/secrets"/*
    mkdir "$work/data"
    sed -e "s,^tls-port .*,tls-port $redis," -e "s,/run/secrets/,$work/secrets/," -e "s,^dir .*,dir $work/data," \
        "$work/secrets/redis.conf" >"$work/redis.conf"
    echo 'bind 127.0.0.1' >>"$work/redis.conf"
    start_redis
    until_ready 'the simulator' grep -q '^ready ' "$work/demo"
    simulator=$(sed -n 's/^ready //p' "$work/demo" | jq -r .simulator)
    ledger=$(sed -n 's/^ready //p' "$work/demo" | jq -r .ledger)

    for name in one two; do
        settings "$name" "{ file: $work/secrets/session.key }"
        "$server" check --config "$work/$name.yaml" >"$work/check" 2>&1 || fail 'settings without problems' "$(cat "$work/check")"
        serve "$name"
    done
    start_nginx nginx "$front" "${port[one]}" "${port[two]}"
    for name in one two; do until_ready "server $name to be ready" is_ready "$name"; done
    until_ready 'nginx to be ready' curl -sf -H 'X-CSRF: 1' "http://localhost:$front/bff/session"
}
