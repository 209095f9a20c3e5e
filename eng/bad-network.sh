#!/usr/bin/env bash
# Plays what a bad network does to Ioxide and to stock .NET side by side, all rows, and writes the table of docs/trust.md.
#
#   eng/bad-network.sh [CLASS]...     every scenario unless told; a class is Loss, Vanished, HalfOpen, Suspended, Sliced or PacketSize.
#                                     The table is written only by a run of all of them that failed nowhere
#
# Loss, vanished peers and packet sizes take root, ip and nft: they are played in network namespaces, which the run removes. Each answer stays in
# artifacts/bad-network.tsv: scenario, subject, side, what applications saw, and the reason of a difference. The exit status is 1 where a test fails
# or cannot be played here, and 2 where there is no such class.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 IOXIDE_BAD_NETWORK=full

classes=()
for class in "$@"; do
    if [[ ! $class =~ ^[A-Za-z]+$ || ! -e tests/BadNetwork/${class}Tests.cs ]]; then
        echo "eng/bad-network.sh: there is no class '$class'. Classes: $(cd tests/BadNetwork && echo ./*Tests.cs | sed -E 's|\./(\w+)Tests\.cs|\1|g')" >&2
        exit 2
    fi
    classes+=(-class "*.${class}Tests")
done
dotnet build tests/BadNetwork -c Release -v quiet --nologo
rm -f artifacts/bad-network.tsv
artifacts/bin/Ioxide.BadNetwork/release/Ioxide.BadNetwork -noLogo -noColor -failSkips "${classes[@]}"

# A row for each scenario: "=" where both sides are alike, else the number of its reason.
table() {
    awk -F'\t' '
        !($1 in known) { known[$1]; order[++count] = $1 }
        { seen[$1, $2, $3] = $4; if ($5 != "" && !($5 in number)) { number[$5] = ++reasons; text[reasons] = $5 } reason[$1, $2] = $5 }
        END {
            split("Http1 Tls Http2 Pg Outbound", subjects, " ")
            print "| scenario | HTTP/1.1 | TLS | HTTP/2 | PostgreSQL | outbound |\n|---|---|---|---|---|---|"
            for (i = 1; i <= count; i++) {
                row = "| " order[i]
                for (j = 1; j <= 5; j++) {
                    s = subjects[j]
                    cell = !((order[i], s, "Ioxide") in seen) ? "" : reason[order[i], s] != "" ? "(" number[reason[order[i], s]] ")" : "="
                    row = row " | " cell
                }
                print row " |"
            }
            for (i = 1; i <= reasons; i++) printf "\n(%d) %s.\n", i, text[i]
        }' <(sort -t$'\t' -k1,1 -s artifacts/bad-network.tsv)
}

table
if [[ $# -eq 0 ]]; then
    { sed '/<!-- bad network -->/q' docs/trust.md; table; sed -n '/<!-- end of bad network -->/,$p' docs/trust.md; } > artifacts/trust.md
    mv artifacts/trust.md docs/trust.md
fi
