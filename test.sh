#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs every test.
#
#   ./test.sh                       every test, Debug
#   ./test.sh --release             every test, Release
#   ./test.sh BufferRing            the tests whose full name holds that text
#   ./test.sh '/*/*/RingTests/*'    the tests that a query of xunit's query language selects
#
# The last line is "N passed, N failed, N skipped"; directly above it stands each failed test with its message. The exit status is
# 0 only if no test failed and at least one ran. Results stay in artifacts/test-results/: per project an .xml (xunit's format)
# and a .log, skipped.txt with each skipped test and its reason, and failed.txt with each failed one, its message and where it
# was; of a project that died, what it said last.
#
# Two projects run at once, and more on a machine with more than two processors (IOXIDE_TEST_LANES says how many): most tests
# wait more than they compute. A project's .csproj says with TestLane where that does not fit: `alone` for tests that need the
# machine to themselves, `background` for tests that only compute, which give way to all others. A project that takes longer than
# IOXIDE_TEST_LIMIT_SECONDS (1500 by default) is ended and has failed.
#
# A test project is its own runner. `dotnet test` runs the projects too, but it waits for ever for a test process that
# ended in Environment.FailFast, and leaves a hung one behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

config=Debug
filter=()
for argument in "$@"; do
    case $argument in
        --release) config=Release ;;
        -*)
            echo "usage: ./test.sh [--release] [filter]" >&2
            exit 2
            ;;
        /*) filter=(-filter "$argument") ;;
        *) filter=(-method "*$argument*") ;;
    esac
done
limit_seconds=${IOXIDE_TEST_LIMIT_SECONDS:-1500}
output=${config,,}
results=artifacts/test-results/$output

if ! command -v dotnet > /dev/null; then
    echo "./test.sh: the .NET 10 SDK is not installed (no dotnet on PATH)" >&2
    exit 2
fi
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

bash eng/install.sh
dotnet build Ioxide.sln -c "$config" -v quiet

rm -rf "$results"
mkdir -p "$results"
# shellcheck source=eng/lanes.sh
source eng/lanes.sh
lanes=${IOXIDE_TEST_LANES:-$(($(nproc) < 4 ? 2 : $(nproc) / 2))}
lane_logs=$results
stopped=
trap 'end_lanes' EXIT
trap 'stopped=1; end_lanes' INT TERM

# The number that an attribute has in a result file's assembly element; 0 where there is none.
counter() {
    local value=
    if [[ -s $1 ]]; then
        value=$(sed 's/></>\n</g' "$1" | sed -n "s/^<assembly [^>]* $2=\"\([0-9]*\)\".*/\1/p")
    fi
    echo "${value:-0}"
}

# The value of a property that a project sets.
property() {
    sed -n "s:.*<$2>\(.*\)</$2>.*:\1:p" "$1"
}

# The runner gets a process group of its own (timeout makes it), so that what it started dies with it.
run_project() {
    local niceness=0
    [[ $2 != background ]] || niceness=19
    exec nice -n "$niceness" timeout --kill-after=10 "$limit_seconds" "artifacts/bin/$1/$output/$1" \
        -noLogo -noColor -longRunning 60 "${filter[@]}" -xml "$results/$1.xml"
}

passed=0 failed=0 skipped=0
background=' '

# Prints and counts what a project's run came to.
lane_ended() {
    local name=$1 status=$2 seconds=$3 xml=$results/$1.xml project_failed
    echo "== $name ($config), $seconds s"
    cat "$results/$name.log"
    project_failed=$(($(counter "$xml" failed) + $(counter "$xml" errors)))
    # A crash or the time limit leaves no result file, and an error outside a test leaves one without a failure.
    if [[ $status -ne 0 && $project_failed -eq 0 ]] || [[ ! -s $xml ]]; then
        {
            if [[ -n $stopped ]]; then
                echo "$name was ended by a signal to ./test.sh after $seconds s. What it said last:"
            elif [[ $status -eq 124 || $status -eq 137 ]]; then
                echo "$name was ended at the limit of $limit_seconds s. What it said last:"
            else
                echo "$name ended with status $status without a failed test after $seconds s. What it said last:"
            fi
            tail -n 60 "$results/$name.log" | sed 's/^/    /'
        } >> "$results/died.txt"
        project_failed=$((project_failed + 1))
    fi
    passed=$((passed + $(counter "$xml" passed)))
    failed=$((failed + project_failed))
    skipped=$((skipped + $(counter "$xml" skipped)))
    # Its lane was one more than there are for the others.
    [[ $background != *" $name "* ]] || lanes=$((lanes - 1))
}

# The projects of a lane, those with the most source text first: they take longest.
projects_of() {
    local project lane
    for project in tests/*/*.csproj; do
        [[ $(property "$project" IsTestProject) == true ]] || continue
        lane=$(property "$project" TestLane)
        if [[ ${lane:-beside} == "$1" ]]; then
            echo "$(find "${project%/*}" -name '*.cs' -exec cat {} + | wc -c) $(basename "$project" .csproj)"
        fi
    done | sort -rn | cut -d ' ' -f 2
}

run_lane() {
    local name
    for name in $(projects_of "$1"); do
        [[ -z $stopped ]] || return 0
        if [[ ! -x artifacts/bin/$name/$output/$name ]]; then
            echo "$name was not built: is its project in Ioxide.sln?" | tee -a "$results/died.txt"
            failed=$((failed + 1))
        else
            if [[ $1 == background ]]; then
                background+="$name "
                lanes=$((lanes + 1))
            fi
            "$2" "$name" run_project "$name" "$1"
        fi
    done
}

run_lane background run_beside
run_lane beside run_beside
run_lane alone run_alone
finish_lanes

shopt -s nullglob
# Each skipped test: its class and method, a tab, the first line of its reason.
for xml in "$results"/*.xml; do
    sed 's/></>\n</g' "$xml" | awk '
        function attribute(name) {
            if (!match($0, " " name "=\"[^\"]*\"")) { return "" }
            return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
        }
        /^<test / { test = attribute("result") == "Skip" ? attribute("type") "." attribute("method") : "" }
        /^<reason>/ { reason = "" }
        test != "" && /^<!\[CDATA\[/ { reason = substr($0, 10); sub(/\]\]>.*/, "", reason) }
        test != "" && /^<\/reason>/ { print test "\t" reason; test = "" }
    '
done | sort -u > "$results/skipped.txt"
if [[ -s $results/skipped.txt ]]; then
    echo "== skipped"
    sed 's/\t/: /' "$results/skipped.txt"
fi

# Each failed test: its full name, and below it the message and the stack trace. A failure outside a test has the name of its
# kind, such as a fixture's disposal.
{
    for xml in "$results"/*.xml; do
        sed 's/></>\n</g' "$xml" | awk '
            function attribute(name) {
                if (!match($0, " " name "=\"[^\"]*\"")) { return "?" }
                return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
            }
            /^<test / { name = attribute("name") }
            /^<error / { name = attribute("name") " (" attribute("type") ")" }
            /^<failure/ { print name; inside = 1; next }
            /^<\/failure>/ { inside = 0 }
            inside && !/^<\/?(message|stack-trace)>$/ {
                gsub(/<!\[CDATA\[|\]\]>|<\/?(message|stack-trace)>/, "")
                print "    " $0
            }
        ' | sed "s/\\\\\"/\"/g; s/&quot;/\"/g; s/&apos;/'/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g"
    done
    [[ ! -e $results/died.txt ]] || cat "$results/died.txt"
} > "$results/failed.txt"
if [[ -s $results/failed.txt ]]; then
    echo "== failed"
    cat "$results/failed.txt"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 && -z $stopped ]]
