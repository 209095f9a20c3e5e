#!/usr/bin/env bash
# Compares Ioxide with stock Kestrel, SslStream and Npgsql, whole; the ordinary test run does a part.
#
#   eng/differential.sh [ORACLE...]     without arguments: all of them
#
#   requests      20,000 mutated requests, over cleartext and over TLS, to three ports
#   applications  10,000 applications, 50 requests each, to two ports
#   neighbours    10,000 applications with folders beside other endpoints, 60 requests each, to UseStaticFiles in the same place
#   postgres      2,000 scripts of some 25,000 statements, to the driver and its ADO.NET facade, straight and through PgBouncer, and to Npgsql
#   ado           20,000 programs of ADO.NET calls, on the facade and on Npgsql
#   http2         10,000 scripts of frames, to the HTTP/2 engine and to stock Kestrel
#   programs      20,000 generated handlers with their clients in each of six places, beside stock Kestrel: the HTTP/2 engine in clear text, over TLS and
#                 behind usual middleware, and Kestrel's own HTTP/1.1 over the ring in the same three
#   policies      500 policies of the machine, each in a process, to a ring and to SslStream
#   tls           2,000 sets of TLS options, 12 clients each, to the ring, to SslStream in its place and to stock Kestrel
#
# IOXIDE_REQUESTS, IOXIDE_SEED, IOXIDE_APPLICATIONS=FIRST:COUNT, IOXIDE_NEIGHBOURS=FIRST:COUNT, IOXIDE_STATEMENTS=FIRST:COUNT, IOXIDE_ADO=FIRST:COUNT,
# IOXIDE_HTTP2_SCRIPTS=FIRST:COUNT, IOXIDE_PROGRAMS=FIRST:COUNT, IOXIDE_TLS_POLICIES, IOXIDE_TLS_POLICIES_SEED,
# IOXIDE_TLS_OPTIONS and IOXIDE_TLS_OPTIONS_SEED change how many and which. The exit status is 0 only if nothing differed.
#
# Each oracle is a function that the last loop calls by its name, which shellcheck does not see.
# shellcheck disable=SC2317
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

tests_of() {
    "artifacts/bin/$1/release/$1" -noLogo -noColor -showLiveOutput -class "$1.$2"
}

requests() {
    IOXIDE_REQUESTS=${IOXIDE_REQUESTS:-20000} tests_of Ioxide.Files.Tests MutatedRequestTests
}

applications() {
    IOXIDE_APPLICATIONS=${IOXIDE_APPLICATIONS:-1:10000} tests_of Ioxide.Files.Tests ApplicationOracleTests
}

neighbours() {
    IOXIDE_NEIGHBOURS=${IOXIDE_NEIGHBOURS:-1:10000} tests_of Ioxide.Files.Tests NeighbourOracleTests
}

postgres() {
    IOXIDE_STATEMENTS=${IOXIDE_STATEMENTS:-1:2000} tests_of Ioxide.Pg.Tests StatementOracleTests
}

ado() {
    IOXIDE_ADO=${IOXIDE_ADO:-1:20000} tests_of Ioxide.Pg.Tests AdoProgramOracleTests
}

http2() {
    IOXIDE_HTTP2_SCRIPTS=${IOXIDE_HTTP2_SCRIPTS:-1:10000} tests_of Ioxide.Http2.Tests KestrelOracleTests
}

programs() {
    IOXIDE_PROGRAMS=${IOXIDE_PROGRAMS:-1:20000} tests_of Ioxide.Http2.Tests ProgramOracleTests
}

policies() {
    IOXIDE_TLS_POLICIES=${IOXIDE_TLS_POLICIES:-500} tests_of Ioxide.Tls.Tests PolicyTests
}

tls() {
    IOXIDE_TLS_OPTIONS=${IOXIDE_TLS_OPTIONS:-2000} tests_of Ioxide.Tls.Tests OptionsOracleTests
}

oracles=(requests applications neighbours postgres ado http2 programs policies tls)
if [[ $# -gt 0 ]]; then
    for oracle in "$@"; do
        if [[ " ${oracles[*]} " != *" $oracle "* ]]; then
            echo "eng/differential.sh: there is no oracle $oracle; there are: ${oracles[*]}" >&2
            exit 2
        fi
    done
    oracles=("$@")
fi

dotnet build tests/Files -c Release -v quiet
dotnet build tests/Pg -c Release -v quiet
dotnet build tests/Http2 -c Release -v quiet
dotnet build tests/Tls -c Release -v quiet
failed=0
for oracle in "${oracles[@]}"; do
    echo "== $oracle"
    "$oracle" || failed=1
done
exit "$failed"
