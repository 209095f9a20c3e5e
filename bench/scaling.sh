#!/usr/bin/env bash
# What grows with the count of reactors, on the processors that there are: memory, descriptors, threads, and the CPU of a request.
#   bench/scaling.sh [REACTORS...] [--rounds N] [--seconds S] [--no-build]
# All servers run at once and take turns, 64 connections each; those that wait sleep. SERVER_CPUS (0) and LOAD_CPUS (1) are lists of
# taskset: with one processor for the server the table shows what the reactors themselves cost, with more what they share.
#   bench/scaling.sh --pack [x64|arm64] [--smoke]
# Makes artifacts/ioxide-scaling-linux-x64.tar.gz instead: server, load and script, for a bigger machine without an SDK. --smoke unpacks it in an
# empty folder and runs it for some seconds, without dotnet on the path.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
artifacts=${ARTIFACTS:-$root/artifacts}
server_cpus=${SERVER_CPUS:-0}
load_cpus=${LOAD_CPUS:-1}
first_port=8500
rounds=5
seconds=3
build=yes
pack=no
architecture=
smoke=no
counts=()
while (($# > 0)); do
    case $1 in
        --rounds) rounds=$2; shift ;;
        --seconds) seconds=$2; shift ;;
        --no-build) build=no ;;
        --pack) pack=yes ;;
        x64 | arm64) architecture=$1 ;;
        --smoke) smoke=yes ;;
        [1-9] | [1-9][0-9]) counts+=("$1") ;;
        *) echo "$0: unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
if [[ $pack == no && ($smoke == yes || -n $architecture) ]]; then
    echo "$0: ${architecture:---smoke} is for --pack" >&2
    exit 2
fi
[[ ${#counts[@]} -gt 0 ]] || counts=(1 2 4 8 16)

most_pack_bytes=60000000
pack() {
    local name=ioxide-scaling-linux-$1 files archive size
    files=$artifacts/bench/$name
    archive=$artifacts/$name.tar.gz
    rm -rf "$files"
    mkdir -p "$files/program"
    # Not trimmed: the framework is the one that applications have, compiled ahead.
    dotnet publish "$root/bench/Ioxide.Scaling" -c Release -r "linux-$1" --self-contained --nologo -tl:off -v quiet \
        "-clp:ErrorsOnly;NoSummary" -p:DebugType=none -p:GenerateDocumentationFile=false "-p:ArtifactsPath=$artifacts" -o "$files/program" >&2
    rm -f "$files"/program/*.pdb "$files"/program/*.xml
    cp "$root/bench/Ioxide.Scaling/run.sh" "$root/LICENSE" "$files/"
    tar -czf "$archive" -C "$artifacts/bench" "$name"
    size=$(stat -c %s "$archive")
    ((size < most_pack_bytes)) || { echo "$0: $archive has $size bytes, $most_pack_bytes are allowed" >&2; exit 1; }
    echo "$archive: $size bytes. Unpack it there, and run $name/run.sh"
}

# smoke ARCH: what a user does, in a folder of its own, where there is no SDK.
smoke() {
    local command
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    mkdir "$place/bin"
    for command in bash awk cat cp date dirname env grep mktemp rm seq sleep sort taskset tee uname; do
        ln -s "$(command -v "$command")" "$place/bin/"
    done
    tar -xzf "$artifacts/ioxide-scaling-linux-$1.tar.gz" -C "$place"
    if (cd "$place" && env -i PATH="$place/bin" HOME="$place" "ioxide-scaling-linux-$1/run.sh" --smoke > "$place/log" 2>&1) \
        && grep -q '^| 1 | stock | [1-9]' "$place/results.md" && grep -q '^| 1 | ioxide | [1-9]' "$place/results.md"; then
        cat "$place/results.md"
    else
        cat "$place/log" >&2
        exit 1
    fi
}

if [[ $pack == yes ]]; then
    [[ $build == no ]] || pack "${architecture:-x64}"
    [[ $smoke == no ]] || smoke "${architecture:-x64}"
    exit
fi

# shellcheck source=bench/hosts.sh
source "$root/bench/hosts.sh"
need "wrk taskset curl" "wrk util-linux curl"

# shellcheck source=bench/build.sh
source "$root/bench/build.sh"
[[ $build == no ]] || build_project bench/Ioxide.LoadHost

# of_status PID FIELD: a number of /proc/PID/status.
of_status() { awk -v field="$2:" '$1 == field { print $2 }' "/proc/$1/status"; }

resident=()
descriptors=()
threads=()
for index in "${!counts[@]}"; do
    port=$((first_port + index))
    start_host "$folder/$index" ioxide "taskset -c $server_cpus" --address 127.0.0.1 --port "$port" --reactors "${counts[index]}"
    curl -fsS -o /dev/null "http://127.0.0.1:$port/fixed"
    resident+=("$(of_status "${pids[index]}" VmRSS)")
    descriptors+=("$(find "/proc/${pids[index]}/fd" -mindepth 1 | wc -l)")
    threads+=("$(of_status "${pids[index]}" Threads)")
done

# load INDEX SECONDS: prints "REQUESTS REQUESTS-PER-CPU-SECOND".
load() {
    local before after answer requests
    before=$(ticks "${pids[$1]}")
    answer=$(taskset -c "$load_cpus" wrk -t1 -c64 -d"$2"s "http://127.0.0.1:$((first_port + $1))/fixed")
    after=$(ticks "${pids[$1]}")
    if grep -qE 'Socket errors|Non-2xx' <<< "$answer"; then
        echo "$0: ${counts[$1]} reactors: $answer" >&2
        return 1
    fi
    requests=$(awk '/requests in/ { print $1 }' <<< "$answer")
    awk -v n="$requests" -v s="$2" -v t="$((after - before))" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%d %d\n", n / s, n * hz / t }'
}

# Two rounds of warming: the compiler works in the rest between them.
for round in 1 2; do
    for index in "${!counts[@]}"; do load "$index" 4 > "$folder/warm-$round"; done
    sleep 2
done
for ((round = 0; round < rounds; round++)); do
    for index in "${!counts[@]}"; do load "$index" "$seconds" >> "$folder/rounds-$index"; done
done

echo "| reactors | requests per server CPU-second: min / median / max | requests per second | resident after the first request, MB | descriptors | threads |"
echo "|---|---|---|---|---|---|"
for index in "${!counts[@]}"; do
    printf '| %s | %s | %s | %.1f | %s | %s |\n' "${counts[index]}" "$(spread "$folder/rounds-$index" 2)" "$(spread "$folder/rounds-$index" 1)" \
        "$(awk -v k="${resident[index]}" 'BEGIN { print k * 1024 / 1e6 }')" "${descriptors[index]}" "${threads[index]}"
done
