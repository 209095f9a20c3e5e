namespace Ioxide.Tests;

/// <summary>What acceptors go by near the limit of descriptors: how many are open, and how many may still be taken at once.</summary>
public class DescriptorCountTests
{
    [Fact]
    public void TheKernelTellsHowManyDescriptorsAreOpen()
    {
        const int FileCount = 1500;
        const int OfOtherTests = 700;
        int before = Kernel.Linux.CountDescriptors();
        Assert.SkipWhen(before == -Errno.ENOSYS, "Before Linux 6.2 the length of /proc/self/fd is not told.");
        FileStream[] files = [.. Enumerable.Range(0, FileCount).Select(static _ => File.OpenRead("/dev/null"))];
        int open = Kernel.Linux.CountDescriptors();
        Array.ForEach(files, static file => file.Dispose());
        Assert.InRange(open - before, FileCount - OfOtherTests, FileCount + OfOtherTests);
        Assert.InRange(Kernel.Linux.CountDescriptors() - before, -OfOtherTests, OfOtherTests);
    }

    [Fact]
    public async Task EveryListenerThatIsBoundCountsItsAcceptors()
    {
        var kernel = new FaultyKernel(1, new FaultRates());
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel);
        RingListener first = await fixture.ListenAsync(EchoHandler.RunAsync);
        RingListener second = await fixture.ListenAsync(EchoHandler.RunAsync);
        Assert.Equal(2 * fixture.Reactors.Count, kernel.AcceptorCount);
        await first.UnbindAsync();
        Assert.Equal(fixture.Reactors.Count, kernel.AcceptorCount);
        await second.UnbindAsync();
        Assert.Equal(0, kernel.AcceptorCount);
    }
}
