# shellcheck shell=bash
# Sourced by scripts that start load hosts themselves and measure them by turns. Needs $artifacts; after it, $folder is empty and goes at the end.

# printf, sort and awk read and write numbers by the locale, and not every locale has a decimal point.
export LC_ALL=C

folder=$(mktemp -d)

# Processes that end with the script.
pids=()

stop_all() {
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
    wait
    rm -rf "$folder"
}
trap stop_all EXIT

# need COMMANDS PACKAGES: ends the script where one of the commands is missing.
need() {
    local command
    for command in $1; do
        command -v "$command" > /dev/null || { echo "$0: $command is not installed (apt-get install $2)" >&2; exit 1; }
    done
}

# start_host LOG TRANSPORT PREFIX ARGUMENT...: starts a load host behind the words of PREFIX and waits until that transport serves. Its process is
# the last of $pids.
start_host() {
    local log=$1 transport=$2 prefix=$3 tries
    shift 3
    : > "$log"
    # shellcheck disable=SC2086
    $prefix "${artifacts:?}/bin/Ioxide.LoadHost/release/Ioxide.LoadHost" --transport "$transport" "$@" > "$log" 2>&1 &
    pids+=($!)
    for ((tries = 0; tries < 300; tries++)); do
        grep -q "^ready transport=$transport" "$log" && return
        kill -0 "${pids[-1]}" 2> /dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    exit 1
}

# ticks PID: user and system time of the process so far.
ticks() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }

# spread FILE COLUMN: minimum / median / maximum.
spread() {
    sort -n -k"$2,$2" "$1" | awk -v column="$2" '{ value[NR] = $column } END { printf "%s / %s / %s", value[1], value[int((NR + 1) / 2)], value[NR] }'
}
