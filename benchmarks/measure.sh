# shellcheck shell=bash
# Processes and what they use. Sourced by run, which sets OUT, EACH and TICK.

PIDS=()
stop_all() {
    local pid
    for pid in "${PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
}

# fail MESSAGE: ends the run, and with it every process.
fail() {
    echo "benchmarks/run: $1" >&2
    exit 1
}

# spawn NAME COMMAND ...: starts a process and waits for its ready line; sets PID and READY.
spawn() {
    local name=$1 log=$OUT/$1.log
    shift
    # A file of its own for each start: what a former run printed must not count.
    rm -f "$log"
    "$@" >"$log" 2>"$OUT/$name.err" &
    PID=$!
    PIDS+=("$PID")
    for _ in $(seq 2000); do
        if grep -q '^ready ' "$log" 2>/dev/null; then
            READY=$(sed -n 's/^ready //p' "$log")
            return
        fi
        kill -0 "$PID" 2>/dev/null || { cat "$OUT/$name.err" >&2; fail "$name ended"; }
        sleep 0.005
    done
    fail "$name did not get ready"
}

# ready MEMBER: a member of the last ready line.
ready() { jq -r "$1" <<<"$READY"; }

# ticks PID: user and system time so far, in ticks. The name in parentheses may contain blanks.
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13}'; }
# memory PID: resident memory in KiB.
memory() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }
now() { date +%s%N; }

# measure NAME PID WRK-ARGUMENTS ...: appends to NAME.result what one run took: CPU microseconds each, requests, wrong
# answers. A Lua script that counts turns itself decides what a request is.
measure() {
    local name=$1 pid=$2 before after text
    shift 2
    before=$(ticks "$pid")
    text=$(wrk -d "$EACH" "$@" 2>&1) || fail "$name: $text"
    after=$(ticks "$pid")
    awk -v ticks=$((after - before)) -v tick="$TICK" '
        /^turns/ {turns = $2; counted = 1}
        / requests in / {requests = $1}
        /^wrong/ {wrong += $2}
        /Non-2xx/ {wrong += $NF}
        /Socket errors/ {gsub(/[^0-9 ]/, ""); wrong += $1 + $2 + $3 + $4}
        END {
            count = counted ? turns : requests
            print (count > 0 ? ticks * 1000000 / tick / count : 0), count + 0, wrong + 0
        }' <<<"$text" >>"$OUT/$name.result"
}

# has NAME: whether the row was measured.
has() { [ -s "$OUT/$1.result" ]; }
# middle NAME: CPU microseconds each, the median of the rounds.
middle() { sort -g "$OUT/$1.result" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
# requests NAME, wrong NAME: sums over the rounds.
requests() { awk '{n += $2} END {print n + 0}' "$OUT/$1.result"; }
wrong() { awk '{n += $3} END {print n + 0}' "$OUT/$1.result"; }

# answers STATUS URL CURL-ARGUMENTS ...: checks one answer before anything is measured.
answers() {
    local expected=$1 url=$2 status
    shift 2
    status=$(curl -sS -o /dev/null -w '%{http_code}' "$@" "$url" || true)
    [ "$status" = "$expected" ] || fail "$url answered $status instead of $expected"
}

# verifies ALGORITHM STATUS URL: the URL takes a good token and refuses none, altered ones and a stranger's, so that a row
# never counts a check that was not made.
verifies() {
    local token
    answers 401 "$3"
    answers "$2" "$3" -H "Authorization: Bearer $(head -n 1 "$OUT/$1.tokens")"
    while read -r token; do answers 401 "$3" -H "Authorization: Bearer $token"; done <"$OUT/$1.bad"
}
