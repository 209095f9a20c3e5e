#!/usr/bin/env bash
# A proxy (YARP, cleartext HTTP/2 by Kestrel in front of it) beside busy processes: stock sockets and the ring, turn by turn.
#   bench/overload.sh [BUSY...] [--rounds N] [--seconds S] [--groups] [--no-build]
# BUSY is how many processes compute beside the proxy, 0, 2, 4 and 8 unless told. Proxy, upstream, load and busy processes share all processors.
# With --groups each proxy is in a control group of its own, and the busy processes in another, as containers are (cpu controller of version 1, as root).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
artifacts=${ARTIFACTS:-$root/artifacts}
first_port=8600
upstream_port=8690
rounds=4
seconds=5
build=yes
groups=
counts=()
while (($# > 0)); do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --seconds) seconds=$2; shift ;;
        --no-build) build=no ;;
        --groups) groups=/sys/fs/cgroup/cpu ;;
        [0-9] | [1-9][0-9]) counts+=("$1") ;;
        *) echo "$0: unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
[[ ${#counts[@]} -gt 0 ]] || counts=(0 2 4 8)

# shellcheck source=bench/hosts.sh
source "$root/bench/hosts.sh"
need "h2load nginx curl" "nghttp2-client nginx curl"

# shellcheck source=bench/build.sh
source "$root/bench/build.sh"
[[ $build == no ]] || build_project bench/Ioxide.LoadHost

sed -e "s|@PREFIX@|$folder|g; s|@PORT@|$upstream_port|; s|@TLS@||" "$root/bench/peers/nginx.conf.in" > "$folder/nginx.conf"
nginx -p "$folder" -c "$folder/nginx.conf" 2> "$folder/nginx" &
pids+=($!)
# join GROUP PID: the process's threads share one weight from now on.
join() {
    if [[ -n $groups ]]; then
        mkdir -p "$groups/ioxide-overload-$1"
        echo "$2" > "$groups/ioxide-overload-$1/cgroup.procs"
    fi
}

leave_groups() {
    stop_all
    [[ -z $groups ]] || rmdir "$groups"/ioxide-overload-* 2> /dev/null || true
}
trap leave_groups EXIT

sides=(sockets ioxide)
for index in "${!sides[@]}"; do
    start_host "$folder/$index" "${sides[index]}" "" --address 127.0.0.1 --port $((first_port + (10 * index))) \
        --h2 --upstream "http://127.0.0.1:$upstream_port"
    join "${sides[index]}" "${pids[-1]}"
done

# load INDEX SECONDS: prints "REQUESTS-PER-SECOND P50-MS P99-MS CPU-US-PER-REQUEST".
load() {
    local before after answer failed
    rm -f "$folder/times"
    before=$(ticks "${pids[$1 + 1]}")
    answer=$(h2load -D "$2" -c 16 -m 8 --log-file="$folder/times" "http://127.0.0.1:$((first_port + (10 * $1) + 2))/proxy")
    after=$(ticks "${pids[$1 + 1]}")
    failed=$(awk '/^requests:/ { for (i = 2; i <= NF; i++) if ($i ~ /^(failed|errored|timeout)/) n += $(i - 1); print n }' <<< "$answer")
    [[ $failed == 0 ]] || { echo "$0: ${sides[$1]}: $answer" >&2; return 1; }
    sort -n -k3,3 "$folder/times" | awk -v s="$2" -v t="$((after - before))" -v hz="$(getconf CLK_TCK)" \
        '{ time[NR] = $3 } END { printf "%d %.1f %.1f %.1f\n", NR / s, time[int(NR / 2)] / 1e3, time[int(NR * 0.99)] / 1e3, t / hz * 1e6 / NR }'
}

for round in 1 2; do
    for index in "${!sides[@]}"; do load "$index" 6 > "$folder/warm-$round"; done
done

echo "| busy processes | side | requests per second: min / median / max | p50, ms | p99, ms | CPU per request, us |"
echo "|---|---|---|---|---|---|"
for count in "${counts[@]}"; do
    busy=()
    for ((started = 0; started < count; started++)); do
        sh -c 'while :; do :; done' &
        busy+=($!)
        pids+=($!)
        join busy $!
    done
    for index in "${!sides[@]}"; do : > "$folder/rounds-$index"; done
    for ((round = 0; round < rounds; round++)); do
        for index in "${!sides[@]}"; do load "$index" "$seconds" >> "$folder/rounds-$index"; done
    done
    for index in "${!sides[@]}"; do
        printf '| %s | %s | %s | %s | %s | %s |\n' "$count" "${sides[index]}" "$(spread "$folder/rounds-$index" 1)" "$(spread "$folder/rounds-$index" 2)" \
            "$(spread "$folder/rounds-$index" 3)" "$(spread "$folder/rounds-$index" 4)"
    done
    for pid in "${busy[@]}"; do
        kill "$pid"
        wait "$pid" 2> /dev/null || true
    done
    pids=("${pids[@]:0:${#pids[@]}-${#busy[@]}}")
done
