#!/usr/bin/env bash
# Compares what goes around the pipeline with the pipeline itself and with stock Kestrel, whole; the ordinary test run does a part.
#
#   eng/differential.sh [ORACLE...]     without arguments: all of them
#
#   requests    20,000 mutated requests, over cleartext and over TLS, to three ports
#
# IOXIDE_REQUESTS and IOXIDE_SEED change how many and which. The exit status is 0 only if nothing differed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

files_tests() {
    artifacts/bin/Ioxide.Files.Tests/release/Ioxide.Files.Tests -noLogo -noColor -showLiveOutput -class "$1"
}

requests() {
    IOXIDE_REQUESTS=${IOXIDE_REQUESTS:-20000} files_tests Ioxide.Files.Tests.MutatedRequestTests
}

oracles=(requests)
if [[ $# -gt 0 ]]; then
    for oracle in "$@"; do
        if [[ " ${oracles[*]} " != *" $oracle "* ]]; then
            echo "eng/differential.sh: there is no oracle $oracle; there are: ${oracles[*]}" >&2
            exit 2
        fi
    done
    oracles=("$@")
fi

dotnet build tests/Ioxide.Files.Tests -c Release -v quiet
failed=0
for oracle in "${oracles[@]}"; do
    echo "== $oracle"
    "$oracle" || failed=1
done
exit "$failed"
