using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// Under a limit of locked memory, the probe and the start of a group tell the same story. Root has no such limit, so both
/// run in child processes of another user.
/// </summary>
public class MemoryLockTests
{
    private const int Nobody = 65534;
    private const long Kibibyte = 1024;

    [Theory]
    [InlineData(1024 * Kibibyte)]
    [InlineData(8192 * Kibibyte)]
    public async Task WhereTheProbeSaysSupportedAGroupStarts(long lockedBytes)
    {
        Assert.StartsWith("Supported||\n", await RunAsync("probe", lockedBytes), StringComparison.Ordinal);

        Assert.StartsWith("started|", await RunAsync("start", lockedBytes), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(16 * Kibibyte)]
    [InlineData(64 * Kibibyte)]
    [InlineData(128 * Kibibyte)]
    [InlineData(256 * Kibibyte)]
    public async Task AGroupStartsOrNamesTheLimitAndLeavesNothing(long lockedBytes)
    {
        string output = await RunAsync("start", lockedBytes);

        if (!output.StartsWith("started|", StringComparison.Ordinal))
        {
            Assert.StartsWith("OutOfLockedMemory|", output, StringComparison.Ordinal);
            Assert.Contains("Raise the limit of locked memory (ulimit -l, LimitMEMLOCK=;", output, StringComparison.Ordinal);
            Assert.Contains($"it is {lockedBytes / Kibibyte} KiB now", output, StringComparison.Ordinal);
        }

        Assert.Contains("left open 0\n", output, StringComparison.Ordinal);
    }

    /// <summary>Runs it to its end, which must come by itself.</summary>
    private static async Task<string> RunAsync(string name, long lockedBytes)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Another user and its limits can only be set by root.");
        bool hasTools = File.Exists("/usr/bin/setpriv") && File.Exists("/usr/bin/prlimit");
        Assert.SkipUnless(hasTools, "setpriv and prlimit (util-linux) are not installed.");
        Assert.SkipUnless(Environment.OSVersion.Version >= new Version(6, 14), "Older kernels do not charge rings to the limit.");
        string[] limits =
        [
            "prlimit", $"--memlock={lockedBytes}:{lockedBytes}",
            "setpriv", $"--reuid={Nobody}", $"--regid={Nobody}", "--clear-groups",
        ];
        (int status, string output) = await ChildProcess.RunAsync(name, limits);
        Assert.Equal(0, status);
        return output;
    }
}
