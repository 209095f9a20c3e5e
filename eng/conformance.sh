#!/usr/bin/env bash
# Plays published catalogues of conformance to Ioxide and to stock Kestrel, and prints a table per board. See docs/trust.md.
#
#   eng/conformance.sh [BOARD]...      every board unless told; a board is the name of a class without "BoardTests": Http1Probe
#                                      Testssl is eng/testssl.sh --stock, where testssl.sh is installed
#
# Each answer stays in artifacts/boards/BOARD.tsv: case, source, server, score, what was seen. The exit status is 1 where a test of a board
# fails: an answer is worse than stock Kestrel's, or no pass without its reason. It is 2 where there is no such board.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

declare -A files=()
while IFS= read -r file; do
    files[$(basename "$file" BoardTests.cs)]=$file
done < <(grep -rlE 'class [A-Za-z0-9]+BoardTests' tests/*/Boards --include='*BoardTests.cs')
files[Testssl]=eng/testssl.sh
mapfile -t boards < <(printf '%s\n' "${!files[@]}" | sort)
for board in "$@"; do
    if [[ -z $board || -z ${files[$board]:-} ]]; then
        echo "eng/conformance.sh: there is no board '$board'. Boards: ${boards[*]}" >&2
        exit 2
    fi
done
[[ $# -gt 0 ]] || set -- "${boards[@]}"

status=0
chosen=()
for board in "$@"; do
    [[ $board != Testssl ]] || continue
    chosen+=("artifacts/boards/$board.tsv")
    rm -f "${chosen[-1]}"
    project=$(find "$(cut -d/ -f1-2 <<< "${files[$board]}")" -maxdepth 1 -name '*.csproj')
    name=$(basename "$project" .csproj)
    dotnet build "$project" -c Release -v quiet --nologo
    echo "=== $board"
    "artifacts/bin/$name/release/$name" -noLogo -noColor -class "*.${board}BoardTests" | grep -E '\[FAIL\]|^ .*Total:' || status=1
done

# Of each board: passes, warnings and failures by server, then each answer that is no pass.
for board in "${chosen[@]}"; do
    echo
    if [[ ! -e $board ]]; then
        echo "$(basename "$board" .tsv): no test ran"
        status=1
        continue
    fi
    echo "$(basename "$board" .tsv): $(cut -f1 "$board" | sort -u | wc -l) cases"
    awk -F'\t' '{ n[$3 "\t" $4]++; server[$3] } END {
        for (s in server) printf "| %s | %d | %d | %d |\n", s, n[s "\tPass"], n[s "\tWarn"], n[s "\tFail"] }' "$board" |
        sort | sed '1i | server | pass | warn | fail |\n|---|---|---|---|'
    awk -F'\t' '$4 != "Pass" { printf "  %-6s %-16s %s (%s): %s\n", $4, $3, $1, $2, $5 }' "$board"
done

# Weaknesses of HTTPS by severity, of Ioxide and of stock Kestrel.
if [[ " $* " == *" Testssl "* ]]; then
    echo
    echo "Testssl: findings by severity"
    eng/testssl.sh --stock > artifacts/testssl.txt 2>&1 && scanned=0 || scanned=$?
    sed -n '/^| server/,$p' artifacts/testssl.txt
    case $scanned in
        0) ;;
        77) cat artifacts/testssl.txt ;;
        *) status=1 ;;
    esac
fi
exit "$status"
