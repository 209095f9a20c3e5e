#!/usr/bin/env bash
# What a second, fourth, eighth and sixteenth core bring: Kestrel on its own sockets ("stock") and on Ioxide, each on the same cores in turn.
#   ./run.sh [REACTORS...] [--rounds N] [--seconds S] [--out FILE] [--smoke]
# Everything is on the loopback. It takes some 5 minutes, needs no SDK and no root, and writes results.md. --smoke: one reactor, rounds of 1 s.
set -euo pipefail

# sort and awk read and write numbers by the locale, and not every locale has a decimal point.
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$here/program/Ioxide.Scaling
first_port=8600
rounds=5
seconds=5
warm=3
out=results.md
counts=()
while (($# > 0)); do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --seconds) seconds=$2; shift ;;
        --out) out=$2; shift ;;
        --smoke) rounds=2; seconds=1; warm=1; counts=(1) ;;
        [1-9] | [1-9][0-9]) counts+=("$1") ;;
        *) echo "$0: unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
[[ ${#counts[@]} -gt 0 ]] || counts=(1 2 4 8 16)
command -v taskset > /dev/null || { echo "$0: taskset is not installed (package util-linux)" >&2; exit 1; }

# Rings first: where they are refused there is nothing to compare, and the check says what to do.
"$program" --ioxide-check || { echo "$0: this host allows no rings; docs/fallback.md says why and what to do" >&2; exit 1; }

# The processors that may be used, one of each core first: server and load share a core only where there are no others.
allowed() {
    local ranges range first last
    IFS=, read -ra ranges <<< "$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)"
    for range in "${ranges[@]}"; do
        first=${range%-*}
        last=${range#*-}
        seq "$first" "$last"
    done
}
firsts=()
seconds_of_cores=()
for cpu in $(allowed); do
    siblings=$(cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" 2> /dev/null || echo "$cpu")
    if [[ $cpu == "${siblings%%[,-]*}" ]]; then firsts+=("$cpu"); else seconds_of_cores+=("$cpu"); fi
done
cpus=("${firsts[@]}" "${seconds_of_cores[@]}")

# list FROM COUNT: processors as taskset takes them.
list() { local IFS=,; echo "${cpus[*]:$1:$2}"; }

folder=$(mktemp -d)
pids=()
stop_all() {
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
    pids=()
    wait
}
trap 'stop_all; rm -rf "$folder"' EXIT

# start SERVER REACTORS PORT: its process is the last of $pids.
start() {
    local tries
    taskset -c "$(list 0 "$2")" "$program" serve --server "$1" --reactors "$2" --port "$3" > "$folder/$1.log" 2>&1 &
    pids+=($!)
    for ((tries = 0; tries < 300; tries++)); do
        grep -q "^ready server=$1" "$folder/$1.log" && return
        kill -0 "${pids[-1]}" 2> /dev/null || break
        sleep 0.1
    done
    cat "$folder/$1.log" >&2
    exit 1
}

# load SERVER-INDEX REACTORS SECONDS: prints "REQUESTS/S REQUESTS/CPU-S P99-US".
load() {
    taskset -c "$load_cpus" "$program" load --port $((first_port + $1)) --pid "${pids[$1]}" --connections $((64 * $2)) \
        --threads "$load_count" --seconds "$3"
}

# spread FILE COLUMN: median (minimum to maximum).
spread() {
    sort -n -k"$2,$2" "$1" | awk -v column="$2" '
        { value[NR] = $column }
        END { printf "%s (%s to %s)", value[int((NR + 1) / 2)], value[1], value[NR] }'
}

{
    model=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)
    echo "# Stock Kestrel and Ioxide on as many processors"
    echo "${model:-$(uname -m)}, ${#firsts[@]} cores, ${#cpus[@]} hardware threads, Linux $(uname -r), $(date -u +%F), $rounds rounds of $seconds s"
    echo
    echo "| reactors or cores | server | requests per server CPU-second: median (range) | requests per second | p99, us |"
    echo "|---|---|---|---|---|"
} > "$folder/table"
notes=()
for count in "${counts[@]}"; do
    if ((count > ${#cpus[@]} || (count == ${#cpus[@]} && count > 1))); then
        notes+=("$count: left out, the load needs a processor too.")
        continue
    fi

    load_count=$((${#cpus[@]} - count < count ? ${#cpus[@]} - count : count))
    if ((load_count == 0)); then
        load_count=1
        load_cpus=$(list 0 1)
        notes+=("$count: server and load share the one processor.")
    else
        load_cpus=$(list "$count" "$load_count")
        ((load_count == count)) || notes+=("$count: the load has $load_count processors and may be the limit.")
        ((count + load_count <= ${#firsts[@]})) || notes+=("$count: some of the processors are two of one core.")
    fi

    start stock "$count" "$first_port"
    start ioxide "$count" $((first_port + 1))
    rm -f "$folder"/rounds-*
    for round in 1 2; do
        load 0 "$count" "$warm" > /dev/null
        load 1 "$count" "$warm" > /dev/null
    done
    for ((round = 0; round < rounds; round++)); do
        for turn in 0 1; do
            server=$(((round + turn) % 2))
            load "$server" "$count" "$seconds" >> "$folder/rounds-$server"
        done
    done
    stop_all
    for server in 0 1; do
        name=stock
        [[ $server == 0 ]] || name=ioxide
        figures=$folder/rounds-$server
        echo "| $count | $name | $(spread "$figures" 2) | $(spread "$figures" 1) | $(spread "$figures" 3) |" | tee -a "$folder/table"
    done
done
((${#notes[@]} == 0)) || { echo; printf -- '- %s\n' "${notes[@]}"; } >> "$folder/table"
cp "$folder/table" "$out"
echo
cat "$out"
