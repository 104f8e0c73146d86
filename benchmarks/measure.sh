# shellcheck shell=bash
# Processes and what they use. Sourced by run, which sets OUT, EACH and TICK.

PIDS=()
# The log of each process, by its id, and those that count their allocations or run below callgrind.
declare -A LOG_OF=() COUNTS_OF=() CALLGRIND_OF=()
# Where the machine allows it, perf counts instructions: COUNTER is its event, or empty. A virtual machine often has none.
COUNTER=
if perf stat -x, -e instructions:u true 2>&1 | grep -qE '^[0-9]+,'; then COUNTER=instructions:u; fi
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
    LOG_OF[$PID]=$log
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
# allocations PID: how many it has made so far; - for a process that does not count them.
allocations() {
    local log=${LOG_OF[$1]} before
    [ -n "${COUNTS_OF[$1]:-}" ] || { echo -; return; }
    before=$(grep -c '^allocations ' "$log" || true)
    kill -USR1 "$1"
    for _ in $(seq 1000); do
        if [ "$(grep -c '^allocations ' "$log" || true)" -gt "$before" ]; then
            sed -n 's/^allocations //p' "$log" | tail -n 1
            return
        fi
        sleep 0.005
    done
    fail "process $1 did not count its allocations"
}
# instructions NAME PID COMMAND ...: runs the command, and writes to NAME.instructions how many instructions the process
# of the row executed meanwhile, or how many system calls it made with --syscalls; - if nothing counts them.
instructions() {
    local file=$OUT/$1.instructions pid=$2 dump tracer
    shift 2
    echo - >"$file"
    if [ -n "${CALLGRIND_OF[$pid]:-}" ]; then
        dump=${CALLGRIND_OF[$pid]}
        rm -f "$dump".*
        callgrind_control -z "$pid" >/dev/null
        "$@"
        callgrind_control -d "$pid" >/dev/null
        cat "$dump".* | sed -n 's/^totals: //p' | awk '{n += $1} END {print (n > 0) ? n : "-"}' >"$file"
    elif [ -n "$SYSCALLS" ]; then
        # Its summary comes at its end; it must have attached to all threads before the row begins.
        strace -f -q -c -S calls -o "$file.strace" -p "$pid" &
        tracer=$!
        until grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$pid/status"; do sleep 0.02; done
        sleep 0.3
        "$@"
        kill -INT "$tracer"
        wait "$tracer" || true
        awk '$NF == "total" {print $4}' "$file.strace" >"$file"
    elif [ -n "$COUNTER" ]; then
        perf stat -x, -e "$COUNTER" -p "$pid" -o "$file.perf" -- "$@"
        awk -F, '/instructions/ {print ($1 ~ /^[0-9]+$/) ? $1 : "-"}' "$file.perf" >"$file"
    else
        "$@"
    fi
}
# memory PID: resident memory in KiB.
memory() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }
now() { date +%s%N; }

# measure NAME PID WRK-ARGUMENTS ...: appends to NAME.result what one run took: CPU microseconds each, requests, wrong
# answers, instructions or system calls each, allocations each; - for what was not counted. A Lua script that counts turns itself decides
# what a request is.
measure() {
    local name=$1 pid=$2 before after made text
    shift 2
    made=$(allocations "$pid")
    before=$(ticks "$pid")
    text=$(instructions "$name" "$pid" wrk -d "$EACH" "$@" 2>&1) || fail "$name: $text"
    after=$(ticks "$pid")
    made="$made $(allocations "$pid")"
    awk -v ticks=$((after - before)) -v tick="$TICK" -v made="$made" -v executed="$(cat "$OUT/$name.instructions")" \
        -v each="${SYSCALLS:+%.1f}" '
        /^turns/ {turns = $2; counted = 1}
        / requests in / {requests = $1}
        /^wrong/ {wrong += $2}
        /Non-2xx/ {wrong += $NF}
        /Socket errors/ {gsub(/[^0-9 ]/, ""); wrong += $1 + $2 + $3 + $4}
        END {
            count = counted ? turns : requests
            split(made, allocations, " ")
            known = count > 0 && allocations[2] != "-"
            print (count > 0 ? ticks * 1000000 / tick / count : 0), count + 0, wrong + 0,
                (count > 0 && executed != "-" ? sprintf(each ? each : "%d", executed / count) : "-"),
                (known ? sprintf("%.1f", (allocations[2] - allocations[1]) / count) : "-")
        }' <<<"$text" >>"$OUT/$name.result"
}

# has NAME: whether the row was measured.
has() { [ -s "$OUT/$1.result" ]; }
# middle NAME [COLUMN]: CPU microseconds each, or another column of the results, the median of the rounds.
middle() {
    awk -v column="${2:-1}" '{print $column}' "$OUT/$1.result" | sort -g |
        awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}
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
