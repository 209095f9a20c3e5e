#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs every test.
#
#   ./test.sh                     every test, Debug
#   ./test.sh --release           every test, Release
#   ./test.sh --ci                what continuous integration runs in Debug; with --release in Release
#   ./test.sh RingTests           the tests whose full name contains that text
#   ./test.sh Kernel              the tests in the folders of that name
#   ./test.sh Pg                  the tests of a project: Ioxide.Pg.Tests
#   ./test.sh '/*/*/RingTests/*'  the tests that a query of xunit's query language selects
#
# A name, and --ci in Debug, build the projects with such tests alone, without analyzers, in artifacts/inner.
#
# The last line is "N passed, N failed, N skipped"; directly above it stands each failed test with its message. The exit status is
# 0 only if no test failed and at least one ran. Results stay in artifacts/test-results/: per project an .xml (xunit's format)
# and a .log, skipped.txt with each skipped test and its reason, and failed.txt with each failed one, its message and where it
# was; of a project that died, what it said last.
#
# Three projects run at once, and more on a machine with eight processors or more (IOXIDE_TEST_LANES says how many): most tests
# wait more than they compute. A project's .csproj says with TestLane where that does not fit: `alone` for tests that need the
# machine to themselves, `background` for tests that only compute, which give way to all others. The folders of TestSecondFolders
# run in a second process beside the others. A process that takes longer than
# IOXIDE_TEST_LIMIT_SECONDS (1500 by default) is ended and has failed.
#
# --ci leaves out the tests with [OnRequest], and in Debug those with [Once] and what a .csproj names: the project by TestOnce, folders by
# TestOnceFolders (tests/Kit/OnceAttribute.cs).
#
# A test project is its own runner. `dotnet test` runs the projects too, but it waits for ever for a test process that
# ended in Environment.FailFast, and leaves a hung one behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

bash eng/install.sh
exec eng/do test "$@"
