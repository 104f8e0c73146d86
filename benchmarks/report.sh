# shellcheck shell=bash
# The table. Sourced by run after measuring.

line() { printf '%-50s %9s %8s %7s %9s %7s  %-22s %s\n' "$@"; }
# number VALUE: three digits are enough.
number() { awk -v v="$1" 'BEGIN {printf((v < 100) ? "%.1f" : "%.0f", v)}'; }
ratio() { awk -v v="$1" -v f="$2" 'BEGIN {printf "%.2f", v / f}'; }
# verdict VALUE BUDGET: whether the budget is kept.
verdict() { awk -v v="$1" -v b="$2" 'BEGIN {print (v <= b) ? "met" : "MISSED"}'; }

# counted NAME BASE COLUMN: instructions or system calls (4) or allocations (5) of a request, less those of the row BASE
# unless that is "-"; n/a where the machine or the process counts none.
counted() {
    local value base=0
    value=$(middle "$1" "$3")
    [ "$2" = - ] || base=$(middle "$2" "$3")
    case "$value$base" in *-*) echo n/a; return ;; esac
    awk -v v="$value" -v b="$base" -v column="$3" -v calls="$SYSCALLS" 'BEGIN {printf((column == 4 && !calls) ? "%.0f" : "%.1f", v - b)}'
}

# trusted NAME: empty, or why the row means nothing.
trusted() {
    if [ "$(requests "$1")" = 0 ]; then
        echo 'NOT VALID: nothing was answered'
    elif [ "$(wrong "$1")" != 0 ]; then
        echo "NOT VALID: $(wrong "$1") wrong answers or errors"
    fi
}

# cost NAME TITLE [BUDGET BASE BASE-NAME]: CPU time of a request, and the budget as a multiple of the row BASE.
cost() {
    local name=$1 title=$2 value budget='' result=''
    has "$name" || return 0
    value=$(middle "$name")
    if [ $# -gt 2 ] && has "$4"; then
        local times
        times=$(ratio "$value" "$(middle "$4")")
        budget="$3 x $5: $times"
        result=$(verdict "$times" "$3")
    fi
    result="$(trusted "$name")${result:+ $result}"
    line "$title" "$(requests "$name")" "$(number "$value")" "$(ratio "$value" "$(middle floor)")" \
        "$(counted "$name" - 4)" "$(counted "$name" - 5)" "$budget" "${result# }"
}

# step NAME BASE TITLE [BUDGET]: a turn without what is the row BASE; all of it where that is "-". The budget is a
# multiple of the floor.
step() {
    local value base=0 times budget='' result=''
    has "$1" || return 0
    if [ "$2" != - ]; then
        has "$2" || return 0
        base=$(middle "$2")
    fi
    value=$(awk -v v="$(middle "$1")" -v b="$base" 'BEGIN {print v - b}')
    times=$(ratio "$value" "$(middle floor)")
    if [ $# -gt 3 ]; then
        budget="$4 x F: $times"
        result=$(verdict "$times" "$4")
    fi
    result="$(trusted "$1")${result:+ $result}"
    line "$3" "$(requests "$1")" "$(number "$value")" "$times" "$(counted "$1" "$2" 4)" "$(counted "$1" "$2" 5)" \
        "$budget" "${result# }"
}

# amount TITLE VALUE UNIT BUDGET
amount() { line "$1" '' "$(number "$2")" '' '' '' "$4 $3" "$(verdict "$2" "$4")"; }

heading() {
    echo
    line "$@"
    line "${@//?/-}"
}
