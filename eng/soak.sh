#!/usr/bin/env bash
# Runs a server of all packages (UseIoxide, a raw listener, TLS, HTTP/2, files, PostgreSQL, outbound requests) under mixed load and faults,
# and judges what it leaves behind.
#
#   eng/soak.sh MINUTES [SEED]     60 is a proper run; 1 shows that it works. MINUTES may have a fraction.
#   eng/soak.sh --hours N [SEED]
#
# Every byte of every answer is checked. Twice a minute everyone leaves, and the server must hold nothing. Writes
# artifacts/soak/soak.csv (one line a second) and artifacts/soak/soak.svg. The last line is PASS or FAIL; the exit status
# is 0 or 1, and 2 for wrong arguments. Ctrl-C ends it early and judges what was seen.
#
# ARTIFACTS=DIRECTORY builds into, and writes to, another directory than artifacts/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --hours && ${2:-} =~ ^[0-9]+$ ]]; then
    set -- "$(($2 * 60))" "${@:3}"
fi
if [[ $# -lt 1 || $# -gt 2 ]]; then
    echo "usage: eng/soak.sh MINUTES|--hours N [SEED]" >&2
    exit 2
fi
if ! command -v dotnet > /dev/null; then
    echo "eng/soak.sh: the .NET 10 SDK is not installed (no dotnet on PATH)" >&2
    exit 2
fi
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

artifacts=$(realpath -m "${ARTIFACTS:-artifacts}")
dotnet build tests/Load/Soak -c Release -v quiet "-p:ArtifactsPath=$artifacts"
exec "$artifacts/bin/Ioxide.Soak/release/Ioxide.Soak" "$artifacts/soak" "$@"
