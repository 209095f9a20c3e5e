namespace Ioxide.Tests;

/// <summary>
/// A host may refuse rings; the probe says why and what to do. Limits of locked memory are set on a child process that runs
/// as another user, because root has none. Refusals by a seccomp filter are tested with the fallback of the transport.
/// </summary>
public class RingProbeTests
{
    [Fact]
    public void SaysSupportedWhereARingCanBeMade()
    {
        LeakCheck descriptors = LeakCheck.Start();

        Assert.Equal(RingSupport.Supported, RingProbe.Check());
        Assert.Null(RingProbe.Explain());
        Assert.Empty(descriptors.Leaked());
    }

    [Theory, Each(0, 4096)]
    public async Task TooLittleLockedMemoryIsNamedWithItsRemedy(long bytes)
    {
        (_, string output) = await RunWithLockedMemoryAsync("probe", bytes);

        Assert.StartsWith("OutOfLockedMemory|", output, StringComparison.Ordinal);
        Assert.Contains("ENOMEM", output, StringComparison.Ordinal);
        Assert.Contains("ulimit -l", output, StringComparison.Ordinal);
        Assert.Contains($"it is {bytes / 1024} KiB now", output, StringComparison.Ordinal);
    }

    [Theory, Each(64 * 1024, 8 * 1024 * 1024)]
    public async Task ASmallRingFitsIntoTheUsualLimits(long bytes)
    {
        (int status, string output) = await RunWithLockedMemoryAsync("probe", bytes);

        Assert.StartsWith("Supported||", output, StringComparison.Ordinal);
        Assert.Equal(0, status);
    }

    [Fact]
    public async Task AReactorStartsWithTheSizesAskedForInEightMebibytes()
    {
        (int status, string output) = await RunWithLockedMemoryAsync("start", 8 * 1024 * 1024);

        Assert.StartsWith("io_uring|512|4096\nleft open 0\n", output, StringComparison.Ordinal);
        Assert.Equal(0, status);
    }

    [Theory, Each(4096, 64 * 1024)]
    public async Task AReactorWhoseRingDoesNotFitRunsOnEpollAndSaysWhy(long bytes)
    {
        (_, string output) = await RunWithLockedMemoryAsync("start", bytes);

        Assert.StartsWith("epoll|OutOfLockedMemory|", output, StringComparison.Ordinal);
        Assert.Contains($"it is {bytes / 1024} KiB now", output, StringComparison.Ordinal);
        Assert.Contains("lower ReactorCount, SqEntries, CqEntries and MaxReceiveBufferCount", output, StringComparison.Ordinal);
        Assert.Contains("left open 0\n", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task NoDescriptorLeftIsNamed()
    {
        (int status, string output) = await ChildProcess.RunAsync("probe-without-descriptors", "prlimit", "--nofile=256:256");

        Assert.StartsWith("OutOfDescriptors|Supported\n", output, StringComparison.Ordinal);
        Assert.Equal(0, status);
    }

    private static Task<(int Status, string Output)> RunWithLockedMemoryAsync(string name, long bytes)
    {
        Assert.SkipWhen(UnusedUser.Obstacle() is not null, UnusedUser.Obstacle() ?? "");
        return ChildProcess.RunAsync(name, UnusedUser.UnderLockedMemory(bytes));
    }
}
