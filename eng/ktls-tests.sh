#!/usr/bin/env bash
# Runs the tests of the kernel's TLS in a virtual machine whose kernel has it (eng/ktls-vm).
#
#   eng/ktls-tests.sh [KERNEL]...     kernels as eng/ktls-vm/run names them; cloud-6.12 unless told
#
# Everything in the machine is emulated, so a run takes minutes. The exit status is 0 only if each kernel's run passed.
# ARTIFACTS=DIRECTORY builds into another directory than artifacts/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
artifacts=$(realpath -m "${ARTIFACTS:-artifacts}")
dotnet build tests/Ioxide.Tls.Tests -c Release -v quiet "-p:ArtifactsPath=$artifacts"
[[ $# -gt 0 ]] || set -- cloud-6.12
for kernel in "$@"; do
    echo "=== $kernel"
    eng/ktls-vm/run --kernel "$kernel" --timeout "${TIMEOUT:-900}" -- "$artifacts/bin/Ioxide.Tls.Tests/release" \
        dotnet Ioxide.Tls.Tests.dll -noLogo -noColor -class '*KernelTlsTests'
done
