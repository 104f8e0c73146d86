#!/usr/bin/env bash
# Makes the secrets of compose.yaml and kubernetes.yaml that can be made: keys, certificates of the Redis server, its
# password and its settings. Keeps every file that is there.
#
#   examples/cluster/secrets.sh FOLDER    CLOAKROOM=PATH names the program
#
# Still missing then: `client`, the secret of the OAuth client, and the proxy's `tls.crt` and `tls.key`.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
cloakroom=${CLOAKROOM:-cloakroom}
case $cloakroom in /*) ;; */*) cloakroom=$PWD/$cloakroom ;; esac
umask 077
mkdir -p "$1"
cd "$1"

[ -e session.key ] || "$cloakroom" keygen --id "k$(date +%Y%m%d)" --out session.key >/dev/null
[ -e redis-password ] || openssl rand -hex 32 >redis-password

# An authority for this Redis alone, and the server's certificate for the name in session.store.
ec=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
if [ ! -e redis-ca.pem ]; then
    openssl req -x509 -subj '/CN=Redis of Cloakroom' -days 3650 "${ec[@]}" -keyout redis-ca.key -out redis-ca.pem 2>/dev/null
fi
if [ ! -e redis.pem ]; then
    openssl req -subj /CN=redis "${ec[@]}" -keyout redis.key -out redis.csr 2>/dev/null
    openssl x509 -req -in redis.csr -CA redis-ca.pem -CAkey redis-ca.key -set_serial "0x$(openssl rand -hex 8)" -days 365 \
        -extfile <(printf 'subjectAltName=DNS:%s,DNS:localhost\n' "${REDIS_HOST:-redis}") -out redis.pem 2>/dev/null
    rm -f redis.csr
fi

# docs/configuration.md has the list of rights; `cloakroom check --live` names one that is missing.
if [ ! -e redis.conf ]; then
    cat >redis.conf <<CONF
port 0
tls-port 6379
tls-cert-file /run/secrets/redis.pem
tls-key-file /run/secrets/redis.key
tls-ca-cert-file /run/secrets/redis-ca.pem
tls-auth-clients no
dir /data
appendonly yes
maxmemory-policy noeviction
user default off
user cloakroom on #$(printf %s "$(cat redis-password)" | sha256sum | cut -d ' ' -f 1) ~cloakroom:* &cloakroom:* +select +echo +ping +hmget +hgetall +set +getdel +del +eval +evalsha +script|load +subscribe +unsubscribe +hget +hkeys +hset +hdel +pexpire +get +zadd +zrem +zcard +zscore +zrange +zrangebyscore +zrevrange +publish +info +role
CONF
fi
echo "made in $PWD; the keys of redis-ca.pem and of the proxy stay out of the cluster"
echo "  chown 10001:10001 session.key client redis-password redis-ca.pem      # the servers"
echo "  chown 999:999 redis.conf redis.pem redis.key                          # the Redis image"
echo "  chown 101:101 tls.crt tls.key                                         # nginx"
