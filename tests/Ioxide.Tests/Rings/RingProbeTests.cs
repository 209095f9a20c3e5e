using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// A host may refuse rings; the probe says why and what to do. Limits of locked memory are set on a child process that runs
/// as another user, because root has none. Refusals by a seccomp filter are tested with the fallback of the transport.
/// </summary>
public class RingProbeTests
{
    private const int Nobody = 65534;

    [Fact]
    public void SaysSupportedWhereARingCanBeMade()
    {
        LeakCheck descriptors = LeakCheck.Start();

        Assert.Equal(RingSupport.Supported, RingProbe.Check());
        Assert.Null(RingProbe.Explain());
        Assert.Empty(descriptors.Leaked());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task TooLittleLockedMemoryIsNamedWithItsRemedy(long bytes)
    {
        (_, string output) = await RunWithLockedMemoryAsync("probe", bytes);

        Assert.StartsWith("OutOfLockedMemory|", output, StringComparison.Ordinal);
        Assert.Contains("ENOMEM", output, StringComparison.Ordinal);
        Assert.Contains("ulimit -l", output, StringComparison.Ordinal);
        Assert.Contains($"it is {bytes / 1024} KiB now", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(64 * 1024)]
    [InlineData(8 * 1024 * 1024)]
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

        Assert.StartsWith("started|512|4096\nleft open 0\n", output, StringComparison.Ordinal);
        Assert.Equal(0, status);
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(64 * 1024)]
    public async Task AReactorThatDoesNotFitSaysSoWithTheRemedy(long bytes)
    {
        (_, string output) = await RunWithLockedMemoryAsync("start", bytes);

        Assert.StartsWith("OutOfLockedMemory|", output, StringComparison.Ordinal);
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

    [Theory]
    [InlineData(Errno.EPERM, RingSupport.Forbidden, "seccomp")]
    [InlineData(Errno.EACCES, RingSupport.Forbidden, "kernel.io_uring_disabled")]
    [InlineData(Errno.ENOSYS, RingSupport.NotImplemented, "Linux 6.1")]
    [InlineData(Errno.EINVAL, RingSupport.TooOld, "Linux 6.1")]
    [InlineData(Errno.ENOMEM, RingSupport.OutOfLockedMemory, "LimitMEMLOCK=")]
    [InlineData(Errno.EMFILE, RingSupport.OutOfDescriptors, "ulimit -n")]
    [InlineData(Errno.ENFILE, RingSupport.OutOfDescriptors, "LimitNOFILE=")]
    [InlineData(Errno.EBUSY, RingSupport.Failed, "docs/fallback.md")]
    public void AnErrorNumberIsClassifiedAndHasARemedy(int errno, RingSupport support, string remedy)
    {
        var exception = new RingUnavailableException(RingUnavailableException.Classify(errno), errno, "test");

        Assert.Equal((support, errno), (exception.Support, exception.ErrorNumber));
        Assert.Contains(Errno.Name(errno), exception.Message, StringComparison.Ordinal);
        Assert.Contains(remedy, exception.Remedy, StringComparison.Ordinal);
        Assert.Contains(exception.Remedy, exception.Message, StringComparison.Ordinal);
    }

    private static Task<(int Status, string Output)> RunWithLockedMemoryAsync(string name, long bytes)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Another user and its limits can only be set by root.");
        Assert.SkipUnless(
            File.Exists("/usr/bin/setpriv") && File.Exists("/usr/bin/prlimit"), "setpriv and prlimit (util-linux) are not installed.");
        Assert.SkipUnless(Environment.OSVersion.Version >= new Version(6, 14), "Older kernels do not charge rings to the limit.");
        return ChildProcess.RunAsync(
            name, "prlimit", $"--memlock={bytes}:{bytes}", "setpriv", $"--reuid={Nobody}", $"--regid={Nobody}", "--clear-groups");
    }
}
