#!/usr/bin/env bash
# Tests must not depend on each other: runs each class in a process of its own, then the whole suites in random orders.
#
#   eng/orders.sh                                 all test projects
#   eng/orders.sh Ioxide.Tests Ioxide.Tls.Tests   these
#   eng/orders.sh --seeds 4,5 Ioxide.Tests        other orders than those of seeds 1, 2 and 3
#   eng/orders.sh --classes | --suites            only the first part, only the second
#
# A seed orders the classes of a suite, the tests of each class and the rows of each test (tests/Order). Its log begins with the
# command that runs it again.
#
# Logs are in artifacts/orders/. A class or suite that failed is a line of artifacts/orders/failed.txt; the exit status is 0 where
# there is none. Failures that come and go with the machine's load show up here too: run the class again before looking for an order.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seeds=1,2,3 parts=both projects=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --seeds)
            seeds=${2:?"--seeds takes numbers, as 1,2,3"}
            shift
            ;;
        --classes) parts=classes ;;
        --suites) parts=suites ;;
        -*)
            echo "usage: eng/orders.sh [--seeds 1,2,3] [--classes | --suites] [PROJECT...]" >&2
            exit 2
            ;;
        *) projects+=("$1") ;;
    esac
    shift
done
limit_seconds=${IOXIDE_TEST_LIMIT_SECONDS:-2400}
logs=artifacts/orders
if [[ ${#projects[@]} -eq 0 ]]; then
    for file in tests/*/*.csproj; do
        if grep -q '<IsTestProject>true</IsTestProject>' "$file"; then
            projects+=("$(basename "$file" .csproj)")
        fi
    done
fi

mkdir -p "$logs"
: > "$logs/failed.txt"
ran=0

# Runs tests into a log, and notes what failed.
run() {
    local name=$1 log=$logs/$1.log status=0
    shift
    ran=$((ran + 1))
    # A shell in the background ignores SIGINT, and what it starts would too: tests send it to programs that end with it.
    local command=(env --default-signal=INT "$@" -noLogo -noColor)
    echo "${command[*]}" > "$log"
    timeout --kill-after=10 "$limit_seconds" nice "${command[@]}" < /dev/null >> "$log" 2>&1 || status=$?
    if [[ $status -ne 0 ]]; then
        echo "FAILED: $name (status $status, $log)"
        {
            echo "$name"
            grep ' \[FAIL\]$' "$log" | sed 's/^ */    /' || tail -n 5 "$log"
        } >> "$logs/failed.txt"
    fi
}

for project in "${projects[@]}"; do
    dotnet build "tests/$project/$project.csproj" -v quiet
    program=artifacts/bin/$project/debug/$project
    if [[ $parts != suites ]]; then
        echo "== $project: each class alone"
        while IFS= read -r class; do
            run "$class" "$program" -class "$class"
        done < <("$program" -list classes -noLogo -noColor | grep "^Ioxide")
    fi
    if [[ $parts != classes ]]; then
        IFS=, read -ra numbers <<< "$seeds"
        for seed in "${numbers[@]}"; do
            echo "== $project: all of it in the order of seed $seed"
            # One at a time, so that the order is the seed's and not the threads'.
            run "$project.seed-$seed" "IOXIDE_TEST_ORDER=$seed" "$program" -parallel none -preEnumerateTheories
        done
    fi
done

echo "$ran runs, $(grep -c '^[^ ]' "$logs/failed.txt" || true) failed"
[[ ! -s $logs/failed.txt ]]
