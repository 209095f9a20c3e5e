namespace Ioxide.Tests;

/// <summary>
/// Under a limit of locked memory, the probe and the start of a group tell the same story. Root has no such limit, so both
/// run in child processes of another user, of which there is no other process.
/// </summary>
public class MemoryLockTests
{
    private const long Kibibyte = 1024;

    [Theory, Each(1024 * Kibibyte, 8192 * Kibibyte)]
    public async Task WhereTheProbeSaysSupportedAGroupStarts(long lockedBytes)
    {
        Assert.StartsWith("Supported||\n", await RunAsync("probe", lockedBytes), StringComparison.Ordinal);

        Assert.StartsWith("io_uring|", await RunAsync("start", lockedBytes), StringComparison.Ordinal);
    }

    [Theory, Each(0, 16 * Kibibyte, 64 * Kibibyte, 128 * Kibibyte, 256 * Kibibyte)]
    public async Task AGroupStartsOnRingsOrNamesTheLimitAndLeavesNothing(long lockedBytes)
    {
        string output = await RunAsync("start", lockedBytes);

        if (!output.StartsWith("io_uring|", StringComparison.Ordinal))
        {
            Assert.StartsWith("epoll|OutOfLockedMemory|", output, StringComparison.Ordinal);
            Assert.Contains("Raise the limit of locked memory (ulimit -l, LimitMEMLOCK=;", output, StringComparison.Ordinal);
            Assert.Contains($"it is {lockedBytes / Kibibyte} KiB now", output, StringComparison.Ordinal);
        }

        Assert.Contains("left open 0\n", output, StringComparison.Ordinal);
    }

    /// <summary>The kernel counts what all processes of a user have locked, so another one of the same user would change the result.</summary>
    [Fact]
    public void EachRunHasAUserOfItsOwn()
    {
        string[][] commands = [.. Enumerable.Range(0, 20).Select(static _ => UnusedUser.UnderLockedMemory(0))];

        Assert.Equal(20, commands.Select(static command => command[3]).Distinct().Count());
    }

    private static async Task<string> RunAsync(string name, long lockedBytes)
    {
        Assert.SkipWhen(UnusedUser.Obstacle() is not null, UnusedUser.Obstacle() ?? "");
        string[] limits = UnusedUser.UnderLockedMemory(lockedBytes);
        (int status, string output) = await ChildProcess.RunAsync(name, limits);
        Assert.Equal(0, status);
        return output;
    }
}
