#!/usr/bin/env bash
# Lets testssl.sh (Debian package testssl.sh) look for weaknesses of samples/Https and fails on anything above LOW.
#
#   eng/testssl.sh [HOST:PORT]        the sample on a free port unless told
#
# What it says about the certificate and about headers is left out: the sample's certificate is made for the day and signed by nobody,
# and headers are an application's. Takes a minute or two. The findings stay in artifacts/testssl.json. Exit status 77: no testssl.sh here.
# ARTIFACTS=DIRECTORY builds into another directory than artifacts/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
artifacts=$(realpath -m "${ARTIFACTS:-artifacts}")
program=$(command -v testssl || command -v testssl.sh || true)
if [[ -z $program ]]; then
    echo "skipped: no testssl.sh here (Debian and Ubuntu: apt-get install testssl.sh)"
    exit 77
fi

work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT
target=${1:-}
if [[ -z $target ]]; then
    sample=$artifacts/bin/Https/release/Https.dll
    [[ -e $sample && -n ${NO_BUILD:-} ]] || dotnet build samples/Https -c Release -v quiet "-p:ArtifactsPath=$artifacts"
    dotnet "$sample" --port 0 > "$work/sample" &
    server=$!
    for _ in {1..600}; do
        target=$(sed -n 's|^Try: curl -k https://\([0-9.]*:[0-9]*\).*|\1|p' "$work/sample")
        [[ -z $target ]] || break
        sleep 0.1
    done
    if [[ -z $target ]]; then
        echo "the sample did not start" >&2
        exit 1
    fi
fi

report=$artifacts/testssl.json
rm -f "$report"
# It ends with the number of findings, so its status says little; the report is what counts.
"$program" --quiet --color 0 --warnings off --protocols --std --fs --server-preference --server-defaults --vulnerable \
    --jsonfile "$report" "$target" | tee "$work/output" || true
if ! grep -q '"id"' "$report" || grep -q '"severity" *: *"FATAL"' "$report"; then
    echo "testssl.sh gave no report" >&2
    exit 1
fi

# One finding a line: severity, id, text.
findings=$(tr -d '\n' < "$report" | sed 's/},/}\n/g' |
    sed -n 's/.*"id" *: *"\([^"]*\)".*"severity" *: *"\([^"]*\)".*"finding" *: *"\([^"]*\)".*/\2 \1 \3/p' |
    grep -E '^(MEDIUM|HIGH|CRITICAL|WARN) ' | grep -vE '^[A-Z]+ (cert_|OCSP|DNS_CAA|engine_problem|scanProblem)' || true)
if [[ -n $findings ]]; then
    echo "above LOW:"
    echo "$findings"
    exit 1
fi
echo "nothing above LOW"
