#!/usr/bin/env bash
# Lets testssl.sh (Debian package testssl.sh) look for weaknesses of samples/Https and fails on anything above LOW.
#
#   eng/testssl.sh [HOST:PORT]        the sample on a free port unless told
#   eng/testssl.sh --stock            the sample, and stock Kestrel beside it, whose findings fail nothing
#
# What it says about the certificate and about headers is left out: the sample's certificate is made for the day and signed by nobody,
# and headers are an application's. Takes a minute or two a server. The findings stay in artifacts/testssl.json and artifacts/testssl-stock.json.
# Exit status 77: no testssl.sh here.
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
servers=()
trap '[[ ${#servers[@]} -eq 0 ]] || kill "${servers[@]}" 2> /dev/null || true; rm -rf "$work"' EXIT

# Starts a server in the background, and sets target to where it listens, which it says in its first lines.
start() {
    "$@" > "$work/said" &
    servers+=("$!")
    target=
    for _ in {1..1200}; do
        target=$(sed -n 's|^Try: curl -k https://\([0-9.]*:[0-9]*\).*|\1|p' "$work/said")
        [[ -z $target ]] || return 0
        sleep 0.1
    done
    echo "the server did not start" >&2
    exit 1
}

# Looks at a server: target, report. It ends with the number of findings, so its status says little; the report is what counts.
scan() {
    rm -f "$2"
    "$program" --quiet --color 0 --warnings off --protocols --std --fs --server-preference --server-defaults --vulnerable \
        --jsonfile "$2" "$1" || true
    if ! grep -q '"id"' "$2" || grep -q '"severity" *: *"FATAL"' "$2"; then
        echo "testssl.sh gave no report" >&2
        exit 1
    fi
}

# One finding of a report a line: severity, id, text.
findings() {
    tr -d '\n' < "$1" | sed 's/},/}\n/g' |
        sed -n 's/.*"id" *: *"\([^"]*\)".*"severity" *: *"\([^"]*\)".*"finding" *: *"\([^"]*\)".*/\2 \1 \3/p' |
        grep -vE '^[A-Z]+ (cert_|OCSP|DNS_CAA|engine_problem|scanProblem)' || true
}

# A row of the table: name, report.
row() {
    findings "$2" | awk -v name="$1" '{ n[$1]++ } END {
        printf "| %s | %d | %d | %d | %d | %d | %d |\n", name, n["OK"], n["LOW"], n["MEDIUM"], n["HIGH"], n["CRITICAL"], n["WARN"] }'
}

report=$artifacts/testssl.json
stock_report=$artifacts/testssl-stock.json
target=${1:-}
if [[ -z $target || $target == --stock ]]; then
    sample=$artifacts/bin/Https/release/Https.dll
    [[ -e $sample && -n ${NO_BUILD:-} ]] || dotnet build samples/Https -c Release -v quiet "-p:ArtifactsPath=$artifacts"
    start dotnet "$sample" --port 0
fi
scan "$target" "$report"

if [[ ${1:-} == --stock ]]; then
    cat > "$work/stock.cs" << 'HOST'
#:sdk Microsoft.NET.Sdk.Web
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

CertificateRequest request = new("CN=localhost", ECDsa.Create(ECCurve.NamedCurves.nistP256), HashAlgorithmName.SHA256);
X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.UseHttps(certificate)));
WebApplication app = builder.Build();
app.MapGet("/", () => "stock");
await app.StartAsync();
Console.WriteLine($"Try: curl -k {string.Join(' ', app.Urls)}");
await app.WaitForShutdownAsync();
HOST
    dotnet build "$work/stock.cs" -o "$work/stock" -v quiet --nologo
    start dotnet "$work/stock/stock.dll"
    scan "$target" "$stock_report"
    printf '\n| server | OK | LOW | MEDIUM | HIGH | CRITICAL | WARN |\n|---|---|---|---|---|---|---|\n'
    row ioxide "$report"
    row stock "$stock_report"
    for name in ioxide stock; do
        [[ $name == ioxide ]] && from=$report || from=$stock_report
        findings "$from" | grep -vE '^(OK|INFO) ' | sed "s/^/  $name: /" || true
    done
fi

above=$(findings "$report" | grep -E '^(MEDIUM|HIGH|CRITICAL|WARN) ' || true)
if [[ -n $above ]]; then
    echo "above LOW:"
    echo "$above"
    exit 1
fi
echo "nothing above LOW"
