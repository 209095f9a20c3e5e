#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs every test.
#
#   ./test.sh                       every test, Debug
#   ./test.sh --release             every test, Release
#   ./test.sh BufferRing            the tests whose full name holds that text
#   ./test.sh '/*/*/RingTests/*'    the tests that a query of xunit's query language selects
#
# The last line is "N passed, N failed, N skipped"; the exit status is 0 only if no test failed and at least one ran.
# Results stay in artifacts/test-results/: an .xml a project (xunit's format), skipped.txt with each skipped test and its
# reason, and failed.txt with each failed one, its message and where it was; of a project that died, what it said last.
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
limit_seconds=${IOXIDE_TEST_LIMIT_SECONDS:-900}
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
# The runner gets a process group of its own (timeout makes it), so that what it started dies with it.
runner=
trap '[[ -z $runner ]] || kill "$runner" 2> /dev/null || true' EXIT
trap 'exit 130' INT TERM

# The number that an attribute has in a result file's assembly element; 0 where there is none.
counter() {
    local value=
    if [[ -s $1 ]]; then
        value=$(sed 's/></>\n</g' "$1" | sed -n "s/^<assembly [^>]* $2=\"\([0-9]*\)\".*/\1/p")
    fi
    echo "${value:-0}"
}

passed=0 failed=0 skipped=0
shopt -s nullglob
for project in tests/*/*.csproj; do
    grep -q '<IsTestProject>true</IsTestProject>' "$project" || continue
    name=$(basename "$project" .csproj)
    program=artifacts/bin/$name/$output/$name
    echo "== $name ($config)"
    if [[ ! -x $program ]]; then
        echo "$program was not built: is $project in Ioxide.sln?" | tee -a "$results/died.txt"
        failed=$((failed + 1))
        continue
    fi
    xml=$results/$name.xml
    status=0
    started=$SECONDS
    timeout --kill-after=10 "$limit_seconds" \
        "$program" -noLogo -noColor -longRunning 60 "${filter[@]}" -xml "$xml" < /dev/null > >(tee "$results/$name.log") 2>&1 &
    runner=$!
    wait "$runner" || status=$?
    runner=

    project_failed=$(($(counter "$xml" failed) + $(counter "$xml" errors)))
    # A crash or the time limit leaves no result file, and an error outside a test leaves one without a failure.
    if [[ $status -ne 0 && $project_failed -eq 0 ]] || [[ ! -s $xml ]]; then
        {
            echo "$name ended with status $status without a failed test after $((SECONDS - started)) s (limit $limit_seconds s):"
            tail -n 60 "$results/$name.log" | sed 's/^/    /'
        } >> "$results/died.txt"
        project_failed=$((project_failed + 1))
    fi
    passed=$((passed + $(counter "$xml" passed)))
    failed=$((failed + project_failed))
    skipped=$((skipped + $(counter "$xml" skipped)))
done

# Each failed test: its full name, and below it the message and the stack trace.
for xml in "$results"/*.xml; do
    sed 's/></>\n</g' "$xml" | awk '
        /^<test / { name = match($0, / name="[^"]*"/) ? substr($0, RSTART + 7, RLENGTH - 8) : "?" }
        /^<failure/ { print name; inside = 1; next }
        /^<\/failure>/ { inside = 0 }
        inside && !/^<\/?(message|stack-trace)>$/ {
            gsub(/<!\[CDATA\[|\]\]>|<\/?(message|stack-trace)>/, "")
            print "    " $0
        }
    '
done > "$results/failed.txt"
if [[ -e $results/died.txt ]]; then
    cat "$results/died.txt" >> "$results/failed.txt"
fi
if [[ -s $results/failed.txt ]]; then
    echo "== failed"
    cat "$results/failed.txt"
fi

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

echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 ]]
