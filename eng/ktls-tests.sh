#!/usr/bin/env bash
# Runs the tests of the kernel's TLS in a virtual machine whose kernel has it (eng/vm).
#
#   eng/ktls-tests.sh [--connections N] [KERNEL]...
#                                     kernels as eng/vm/run names them; 6.12 unless told. N fresh connections in a row
#                                     of each version instead of 30; with 2500 give a TIMEOUT of 3600
#   eng/ktls-tests.sh --smoke         one kernel, one theory, with what Release has built already; about a minute
#
# Everything in the machine is emulated, so a run takes minutes. The exit status is 0 only if each kernel's run passed; the smoke part's
# is 77 where no machine can be had here (no QEMU, no kernel package), with the reason on the last line.
# IOXIDE_TEST_KERNEL=epoll runs them on reactors that run on epoll.
# ARTIFACTS=DIRECTORY builds into another directory than artifacts/, TIMEOUT=SECONDS gives a run more than 1800.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
artifacts=$(realpath -m "${ARTIFACTS:-artifacts}")
program=$artifacts/bin/Ioxide.Tls.Tests/release
connections=30

run_tests() { # KERNEL FILTER...
    local kernel=$1
    shift
    eng/vm/run --kernel "$kernel" --timeout "${TIMEOUT:-1800}" -- "$program" \
        env IOXIDE_CONNECTIONS="$connections" IOXIDE_TEST_KERNEL="${IOXIDE_TEST_KERNEL:-}" dotnet Ioxide.Tls.Tests.dll -noLogo -noColor "$@"
}

if [[ ${1:-} == --smoke ]]; then
    skip() {
        echo "skipped: $*"
        exit 77
    }
    [[ $(uname -m) == x86_64 ]] || skip "the machine's kernels are for x86-64"
    command -v apt-get > /dev/null || skip "kernels come as Debian packages, and there is no apt-get"
    [[ $(id -u) == 0 ]] || command -v qemu-system-x86_64 > /dev/null || skip "no qemu-system-x86_64"
    [[ -e $program/Ioxide.Tls.Tests.dll ]] || skip "Ioxide.Tls.Tests is not built in Release"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    status=0
    # Within what the caller allows, which is also for fetching a kernel: a test that hangs is no machine that is missing.
    TIMEOUT=${TIMEOUT:-400}
    run_tests 6.12 -method '*KernelTlsTests.FreshConnections*' > "$log" 2>&1 || status=$?
    cat "$log"
    if [[ $status -eq 124 ]]; then
        echo "the tests did not end in $TIMEOUT s"
        exit 1
    fi
    # 125: the tool has no kernel, or the machine did not start; the tests did not run.
    [[ $status -ne 125 ]] || skip "$(tail -n 1 "$log")"
    # A run in which the tests skipped themselves proves nothing.
    [[ $status -ne 0 ]] || grep -q 'Total: 2, Errors: 0, Failed: 0, Skipped: 0' "$log" || status=1
    exit "$status"
fi

if [[ ${1:-} == --connections ]]; then
    connections=$2
    shift 2
fi
dotnet build tests/Tls -c Release -v quiet "-p:ArtifactsPath=$artifacts"
[[ $# -gt 0 ]] || set -- 6.12
for kernel in "$@"; do
    echo "=== $kernel"
    SECONDS=0
    run_tests "$kernel" -class '*KernelTlsTests' -class '*KernelStartTests' -class '*RefusedStartTests' -class '*.FilesTests'
    echo "=== $kernel: passed in $SECONDS s"
done
