#!/usr/bin/env bash
# Feeds inputs to what reads bytes that others send, led by coverage: AFL++ (Debian package afl++) with SharpFuzz (NuGet).
#
#   eng/fuzz.sh --hours N [TARGET]...      N hours for all targets together (0.5 is possible); every target unless told
#   eng/fuzz.sh --list                     the targets
#
# Corpus and counts stay in artifacts/fuzz/TARGET: the next run goes on from there. Two targets run at a time, as there are processors. At the end a
# table tells what each came to since its first run. What broke a reader lies in artifacts/fuzz/TARGET/default/crashes, what took longer than two
# seconds in hangs: put it into tests/Fuzz/corpus/TARGET together with the mending, and continuous integration replays it. Exit status 1: something did.
# IOXIDE_FUZZ=FOLDER keeps them in another folder than artifacts/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

usage() {
    sed -n 's/^#   //p' eng/fuzz.sh >&2
    exit 2
}

hours="" targets=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --hours) [[ ${2:-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage; hours=$2; shift 2 ;;
        --list) hours=list; shift ;;
        -*) usage ;;
        *) targets+=("$1"); shift ;;
    esac
done
[[ -n $hours ]] || usage
if ! command -v afl-fuzz > /dev/null; then
    echo "eng/fuzz.sh: no afl-fuzz here (Debian and Ubuntu: apt-get install afl++)" >&2
    exit 2
fi

dotnet build tests/Fuzz -c Release -v quiet --nologo
program=artifacts/bin/Ioxide.Fuzz/release
mapfile -t all < <("$program/Ioxide.Fuzz" list)
if [[ $hours == list ]]; then
    printf '%s\n' "${all[@]}"
    exit
fi
[[ ${#targets[@]} -gt 0 ]] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [[ " ${all[*]} " == *" $target "* ]] || { echo "eng/fuzz.sh: no target is named $target: ${all[*]}" >&2; exit 2; }
done

# A copy of the build tells AFL++ its way; what it begins with are the seeds and what was found before.
folder=$(realpath -m "${IOXIDE_FUZZ:-artifacts/fuzz}")
build=$folder/build
rm -rf "$build" "$folder/seeds"
mkdir -p "$folder"
cp -r "$program" "$build"
"$program/Ioxide.Fuzz" instrument "$build" > "$folder/instrumented"
"$program/Ioxide.Fuzz" seeds "$folder/seeds"

lanes=$(nproc)
[[ ${#targets[@]} -ge $lanes ]] || lanes=${#targets[@]}
seconds=$(awk -v hours="$hours" -v targets="${#targets[@]}" -v lanes="$lanes" 'BEGIN { printf "%d", hours * 3600 * lanes / targets }')
export AFL_SKIP_BIN_CHECK=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
export AFL_FORKSRV_INIT_TMOUT=60000 DOTNET_TieredPGO=0 DOTNET_gcServer=0

fuzz() { # TARGET
    local place=$folder/$1
    mkdir -p "$place"
    rm -f "$place/failed"
    cp -r "tests/Fuzz/corpus/$1/." "$folder/seeds/$1/" 2> /dev/null || true
    afl-fuzz -i "$folder/seeds/$1" -o "$place" -V "$seconds" -t 2000 -m none -- dotnet "$build/Ioxide.Fuzz.dll" run "$1" > "$place/log" 2>&1 ||
        { echo "eng/fuzz.sh: AFL++ ended with an error for $1: $place/log" >&2; touch "$place/failed"; }
}
# Who ends this script ends what it started.
trap 'exit 143' TERM HUP
trap 'exit 130' INT
trap 'pkill -TERM -P "$(jobs -rp | paste -sd,)" 2> /dev/null || true' EXIT
echo "$seconds s for each of ${#targets[@]} targets, $lanes at a time"
for target in "${targets[@]}"; do
    while [[ $(jobs -rp | wc -l) -ge $lanes ]]; do wait -n || true; done
    fuzz "$target" &
done
wait

status=0
echo "| target | inputs tried | per second | kept | minutes | crashes | hangs |"
echo "|---|---|---|---|---|---|---|"
for target in "${targets[@]}"; do
    stats=$folder/$target/default/fuzzer_stats
    of() { sed -n "s/^$1 *: *//p" "$stats"; }
    [[ -e $stats ]] || { echo "| $target | did not start | | | | | |"; status=1; continue; }
    printf '| %s | %s | %s | %s | %d | %s | %s |\n' "$target" "$(of execs_done)" "$(of execs_per_sec)" "$(of corpus_count)" \
        "$(($(of run_time) / 60))" "$(of saved_crashes)" "$(of saved_hangs)"
    [[ ! -e $folder/$target/failed ]] || status=1
    [[ $(of saved_crashes) == 0 && $(of saved_hangs) == 0 ]] || status=1
done
exit "$status"
