# shellcheck shell=bash
# The table. Sourced by run after measuring.

line() { printf '%-50s %9s %8s %7s  %-22s %s\n' "$@"; }
# number VALUE: three digits are enough.
number() { awk -v v="$1" 'BEGIN {printf((v < 100) ? "%.1f" : "%.0f", v)}'; }
ratio() { awk -v v="$1" -v f="$2" 'BEGIN {printf "%.2f", v / f}'; }
# verdict VALUE BUDGET: whether the budget is kept.
verdict() { awk -v v="$1" -v b="$2" 'BEGIN {print (v <= b) ? "met" : "MISSED"}'; }

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
    line "$title" "$(requests "$name")" "$(number "$value")" "$(ratio "$value" "$(middle floor)")" "$budget" "${result# }"
}

# step NAME BASE TITLE [MICROSECONDS]: a turn without what is the row BASE; all of it where that is "-".
step() {
    local value base=0 budget='' result=''
    has "$1" || return 0
    if [ "$2" != - ]; then
        has "$2" || return 0
        base=$(middle "$2")
    fi
    value=$(awk -v v="$(middle "$1")" -v b="$base" 'BEGIN {print v - b}')
    if [ $# -gt 3 ]; then
        budget="$4 us"
        result=$(verdict "$value" "$4")
    fi
    result="$(trusted "$1")${result:+ $result}"
    line "$3" "$(requests "$1")" "$(number "$value")" '' "$budget" "${result# }"
}

# amount TITLE VALUE UNIT BUDGET
amount() { line "$1" '' "$(number "$2")" '' "$4 $3" "$(verdict "$2" "$4")"; }

heading() {
    echo
    line "$1" "$2" "$3" "$4" "$5" "$6"
    line "${1//?/-}" "${2//?/-}" "${3//?/-}" "${4//?/-}" "${5//?/-}" "${6//?/-}"
}
