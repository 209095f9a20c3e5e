#!/usr/bin/env bash
# Measures the workloads of the public boards on stock Kestrel and on Ioxide, one after the other, and renders the report.
#   bench/run.sh [WORKLOAD...] [--results DIR] [--no-build] [--no-publish] [--no-report] [options of bench/compare.sh]
# All workloads unless some are named; `bench/compare.sh --list-run` prints their names. Ends with 1 when a round was refused or
# a workload could not be run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
artifacts=${ARTIFACTS:-$root/artifacts}
results=$root/bench/results
build=yes
publish=yes
report=yes
server_cpus=0
load_cpus=1
json=
connections=
rounds=3
seconds=2
warmup=4
workloads=()
options=()
while (($# > 0)); do
    case $1 in
        --results) results=$2; shift ;;
        --no-build) build=no ;;
        --no-publish) publish=no ;;
        --no-report) report=no ;;
        --rounds) rounds=$2; shift ;;
        --seconds) seconds=$2; shift ;;
        --warmup) warmup=$2; shift ;;
        --json) json=$2; shift ;;
        --load-cpus) load_cpus=$2; options+=("$1" "$2"); shift ;;
        --connections) connections=-c$2; options+=("$1" "$2"); shift ;;
        --server-cpus | --reactors | --rate) options+=("$1" "$2"); shift ;;
        --markdown) options+=("$1") ;;
        --*) echo "$0: unknown option $1" >&2; exit 2 ;;
        *) workloads+=("$1") ;;
    esac
    shift
done
if [[ -n $json && ${#workloads[@]} -ne 1 ]]; then
    echo "$0: --json is for one workload" >&2
    exit 2
fi

# shellcheck source=bench/build.sh
source "$root/bench/build.sh"
if [[ $build == yes ]]; then
    build_project bench/Ioxide.Compare
    build_project bench/Ioxide.LoadHost
    build_liburing || echo "# without liburing (on Debian: apt-get install gcc liburing-dev)" >&2
fi

declare -A needs_database=()
known=()
while read -r name need; do
    known+=("$name")
    needs_database[$name]=$need
done < <("$root/bench/compare.sh" --no-build --list-run)
[[ ${#workloads[@]} -gt 0 ]] || workloads=("${known[@]}")
database=no
for workload in "${workloads[@]}"; do
    if [[ -z ${needs_database[$workload]+known} ]]; then
        echo "$0: no workload is called $workload, only ${known[*]}" >&2
        exit 2
    fi
    [[ -z ${needs_database[$workload]} ]] || database=yes
    if [[ $workload == startup && $build == yes && $publish == yes ]]; then
        build_packaged || echo "# startup: no packages" >&2
        build_published trimmed || echo "# startup: not trimmed" >&2
        build_published aot || echo "# startup: no NativeAOT" >&2
    fi
done

if [[ $database == yes ]]; then
    # It is part of the load: off the CPU of the server under test. bench/pg-server.sh reads the variable.
    server_cpus=$load_cpus
    # shellcheck source=bench/pg-server.sh
    source "$root/bench/pg-server.sh"
    pg_start
    echo "# PostgreSQL on CPU $server_cpus" >&2
fi

mkdir -p "$results"
failed=()
for workload in "${workloads[@]}"; do
    file=${json:-$results/$(date -u +%Y%m%d)-$workload$connections.json}
    arguments=(--no-build --run --workload "$workload" --rounds "$rounds" --seconds "$seconds" --warmup "$warmup" --json "$file" --syscalls)
    [[ -z ${needs_database[$workload]} ]] || arguments+=(--database
        "Host=127.0.0.1;Port=${pg_port:?};Username=postgres;Database=bench;SSL Mode=Disable")
    "$root/bench/compare.sh" "${arguments[@]}" "${options[@]}" || failed+=("$workload")
done

[[ $report == no ]] || ARTIFACTS=$artifacts "$root/bench/report" --results "$results"
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "refused, wholly or in part: ${failed[*]}" >&2
    exit 1
fi
