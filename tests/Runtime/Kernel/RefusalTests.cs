namespace Ioxide.Tests;

/// <summary>
/// A refusal names the call, the error, the running kernel and the likely cause, and its remedy fits the cause: nobody on a new kernel
/// is told to get a newer one. Hosts are made up here; the tests of the transport's fallback make real ones.
/// </summary>
public class RefusalTests
{
    private const string Newer = "Run on Linux 6.1 or newer.";
    private static readonly HostFacts s_plain = new("6.18.44-test", RingsDisabled: 0, RingsGroup: -1, HasFilter: false);
    private static readonly HostFacts s_filtered = s_plain with { HasFilter = true };
    private static readonly HostFacts s_old = s_plain with { Release = "5.15.0-91-generic", RingsDisabled = null, RingsGroup = null };

    [Theory]
    [InlineData(Errno.EPERM, RingSupport.Forbidden, "seccomp filter is at work", "SystemCallFilter=")]
    [InlineData(Errno.EACCES, RingSupport.Forbidden, "seccomp filter is at work", "deploy/seccomp.json")]
    [InlineData(Errno.ENOSYS, RingSupport.NotImplemented, "seccomp filter that is at work here answers", "io_uring_enter")]
    [InlineData(Errno.EINVAL, RingSupport.Forbidden, "seccomp filter that is at work here answers", "io_uring_enter")]
    [InlineData(Errno.ENOMEM, RingSupport.OutOfLockedMemory, "locked memory", "LimitMEMLOCK=")]
    [InlineData(Errno.EMFILE, RingSupport.OutOfDescriptors, "no file descriptor", "ulimit -n")]
    [InlineData(Errno.ENFILE, RingSupport.OutOfDescriptors, "no file descriptor", "LimitNOFILE=")]
    [InlineData(Errno.EBUSY, RingSupport.Failed, "refused", "docs/fallback.md")]
    public void NamesTheCallTheErrorTheKernelAndTheCause(int errno, RingSupport support, string cause, string remedy)
    {
        var exception = new RingUnavailableException(errno, "io_uring_enter", s_filtered);

        Assert.Equal((support, errno, "io_uring_enter"), (exception.Support, exception.ErrorNumber, exception.Call));
        Assert.Contains($"io_uring_enter failed with {Errno.Name(errno)} on Linux 6.18.44-test", exception.Message, StringComparison.Ordinal);
        Assert.Contains(cause, exception.Message, StringComparison.Ordinal);
        Assert.Contains(remedy, exception.Remedy, StringComparison.Ordinal);
        Assert.EndsWith(exception.Remedy, exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Errno.EMFILE, "LimitNOFILE=")]
    [InlineData(Errno.ENFILE, "fs.file-max")]
    [InlineData(Errno.ENOMEM, "memory")]
    [InlineData(Errno.ENOBUFS, "memory")]
    public void NamesTheLimitThatKeepsConnectionsOut(int errno, string remedy)
        => Assert.Contains(remedy, Refusal.RemedyOfAccept(Errno.Name(errno)), StringComparison.Ordinal);

    [Theory]
    [InlineData("io_uring_enter", "io_uring is not available: ")]
    [InlineData("epoll_create1", "epoll is not available: ")]
    [InlineData("eventfd2", "No reactor can start: ")]
    public void BlamesAKernelOnlyForItsOwnCalls(string call, string words)
    {
        var refusal = new RingUnavailableException(Errno.EPERM, call, s_filtered);
        Assert.StartsWith(words + call, refusal.Message, StringComparison.Ordinal);

        // Rings and epoll need it, and both were refused.
        var both = new RingUnavailableException(refusal, refusal);
        Assert.Equal((refusal.Message, refusal.Cause), (both.Message, both.Cause));
    }

    [Theory, Each(Errno.ENOSYS, Errno.EINVAL)]
    public void ANewKernelIsNotToldToBeNewer(int errno)
    {
        foreach (HostFacts facts in new[] { s_plain, s_filtered })
        {
            var exception = new RingUnavailableException(errno, "io_uring_setup", facts);
            Assert.Contains("filter", exception.Message, StringComparison.Ordinal);
            Assert.DoesNotContain(Newer, exception.Message, StringComparison.Ordinal);
        }

        // The control: an old one is.
        Assert.Equal(Newer, new RingUnavailableException(errno, "io_uring_setup", s_old).Remedy);
    }

    [Theory]
    [InlineData(2, "kernel.io_uring_disabled is 2")]
    [InlineData(1, "kernel.io_uring_disabled is 1")]
    public void TheSysctlIsNamedWithItsValue(int disabled, string cause)
    {
        var exception = new RingUnavailableException(Errno.EPERM, "io_uring_setup", s_plain with { RingsDisabled = disabled, RingsGroup = 1234 });

        Assert.Contains(cause, exception.Message, StringComparison.Ordinal);
        Assert.Contains("Set kernel.io_uring_disabled to 0", exception.Remedy, StringComparison.Ordinal);
        Assert.DoesNotContain("seccomp", exception.Message, StringComparison.Ordinal);
        Assert.Equal(disabled == 1, exception.Message.Contains("(1234)", StringComparison.Ordinal));
    }

    [Fact]
    public void TheSysctlIsNotBlamedForWhatItDoesNotDo()
    {
        // It is asked when a ring is made, and 0 allows it.
        Assert.DoesNotContain("io_uring_disabled", new RingUnavailableException(Errno.EPERM, "io_uring_setup", s_filtered).Message, StringComparison.Ordinal);
        Assert.DoesNotContain(
            "io_uring_disabled", new RingUnavailableException(Errno.EPERM, "io_uring_enter", s_plain with { RingsDisabled = 2 }).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("6.1.0-18-amd64", false)]
    [InlineData("6.18.44", false)]
    [InlineData("10.0", false)]
    [InlineData("6.0.19", true)]
    [InlineData("5.14.0-427.el9.x86_64", true)]
    [InlineData("", false)]
    public void AReleaseIsComparedByItsNumbers(string release, bool isOld) => Assert.Equal(isOld, (s_plain with { Release = release }).IsOld);

    [Fact]
    public void ThisHostIsDescribed()
    {
        HostFacts facts = HostFacts.Read();

        Assert.StartsWith(Environment.OSVersion.Version.ToString(2), facts.Release, StringComparison.Ordinal);
        Assert.False(facts.IsOld);
    }
}
