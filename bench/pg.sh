#!/usr/bin/env bash
# Compares Ioxide.Pg with Npgsql on a private PostgreSQL, turn by turn, and refuses wrong answers. See bench/README.md.
#   bench/pg.sh [--workload A,B|all] [--rounds N] [--seconds S] [--warmup S] [--sides A,B] [--unix] [--no-build] [--list]
#   A side NAME@PROGRAM is played by the Ioxide.PgBench of another build, such as that of the commit before.
#   bench/pg.sh --endpoints async-db|crud [options of bench/compare.sh]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
artifacts=${ARTIFACTS:-$root/artifacts}
program=$artifacts/bin/Ioxide.PgBench/release/Ioxide.PgBench
server_cpus=${SERVER_CPUS:-0}
client_cpus=${CLIENT_CPUS:-1}
build=yes
unix=no
endpoints=
workload=all
arguments=()
while (($# > 0)); do
    case $1 in
        --no-build) build=no ;;
        --unix) unix=yes ;;
        --workload) workload=$2; shift ;;
        --endpoints) endpoints=$2; shift ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

if [[ $build == yes && -z $endpoints ]]; then
    # A failed build ends the run: what was built before may be another state of the code.
    dotnet build "$root/bench/Ioxide.PgBench" -c Release --nologo -tl:off -v quiet "-clp:ErrorsOnly;NoSummary" \
        "-p:ArtifactsPath=$artifacts" >&2
fi

if [[ " ${arguments[*]:-} " == *" --list "* ]]; then
    exec "$program" --list
fi

# shellcheck source=bench/pg-server.sh
source "$root/bench/pg-server.sh"
if [[ -n $endpoints ]]; then
    # The database is part of the load here: it stays off the CPU of the server under test.
    server_cpus=$client_cpus
    pg_start
    [[ $build == yes ]] || arguments+=(--no-build)
    "$root/bench/compare.sh" --workload "$endpoints" --database \
        "Host=127.0.0.1;Port=$pg_port;Username=postgres;Database=bench;SSL Mode=Disable" "${arguments[@]}"
    exit
fi

pg_start
host=127.0.0.1
[[ $unix == no ]] || host=$pg_socket
[[ ! -x $pg_bin/pgbench ]] || arguments+=(--pgbench "$pg_bin/pgbench")
mkdir -p "$artifacts/bench"
"$program" compare --workload "$workload" --host "$host" --port "$pg_port" --server-pid "$pg_pid" --client-cpus "$client_cpus" \
    --output "$artifacts/bench/pg.jsonl" "${arguments[@]}"
