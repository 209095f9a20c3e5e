#!/usr/bin/env bash
# Compares servers under one load, turn by turn, and refuses what is not what it seems. See bench/README.md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
artifacts=${ARTIFACTS:-$root/artifacts}
load_cpus=1
workload=
sides=
build=yes
arguments=()
while (($# > 0)); do
    case $1 in
        --no-build) build=no ;;
        *) arguments+=("$1") ;;
    esac
    case $1 in
        --load-cpus) load_cpus=${2:-} ;;
        --workload) workload=${2:-} ;;
        --sides) sides=${2:-} ;;
        --list | --list-run) load_cpus=0 ;;
    esac
    shift
done

# shellcheck source=bench/build.sh
source "$root/bench/build.sh"
if [[ $build == yes ]]; then
    mkdir -p "$artifacts/bench"
    build_project bench/Ioxide.Compare
    if [[ -n $workload ]]; then
        case $workload in
            raw*)
                [[ -n $sides && $sides != *saea* ]] || build_project bench/peers/SocketServer
                [[ -n $sides && $sides != *echo* ]] || build_project samples/Echo
                ;;
            *) build_project bench/Ioxide.LoadHost ;;
        esac
        [[ $sides != *packages* ]] || build_packaged
        case $workload in
            raw*) build_liburing ;;
            # Their other server; nginx takes its place.
            http | http-ring | yarp | yarp-ring) build_liburing || true ;;
            pipelined) [[ -n $sides && $sides != *liburing* ]] || build_liburing ;;
        esac
    fi
fi

# The driver and the load generators that it starts stay off the server's CPU.
exec taskset -c "$load_cpus" "$artifacts/bin/Ioxide.Compare/release/Ioxide.Compare" \
    "${arguments[@]}" --root "$root" --artifacts "$artifacts"
