#!/usr/bin/env bash
# Plants faults in a copy of the sources, one at a time, and prints which of them no test notices. See docs/trust.md.
#
#   eng/mutation.sh                     every fault; what is known from a run before is not run again
#   eng/mutation.sh Ioxide.Tls --again  the faults of one project, survivors again
#   eng/mutation.sh --only 17           one fault; 17-20 are four
#
# The copy is built once: an environment variable switches a fault on. Results are in artifacts/mutation/results.tsv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

bash eng/install.sh
dotnet build tests/Mutation/Ioxide.Mutation.csproj -v quiet
exec nice artifacts/bin/Ioxide.Mutation/debug/Ioxide.Mutation "$@"
