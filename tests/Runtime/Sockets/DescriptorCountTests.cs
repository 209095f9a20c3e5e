using System.Net.Sockets;

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

    /// <summary>The system's limit of backlogs holds for a larger one too.</summary>
    [Theory]
    [InlineData(99_900, true)]
    [InlineData(100, false)]
    public async Task TheLargestBacklogIsAcceptedOneByOneOnlyNearTheLimit(int openCount, bool isOneByOne)
    {
        const int ClientCount = 5;
        var kernel = new LimitedKernel { Limit = 100_000, OpenCount = openCount };
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = kernel;
        });
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync, new RingListenOptions { Backlog = int.MaxValue });
        for (int client = 0; client < ClientCount; client++)
        {
            using Socket socket = await RawSocket.ConnectAsync(listener.EndPoint);
            await socket.SendAllAsync("one"u8.ToArray());
            await socket.ReceiveExactlyAsync(3);
        }

        Assert.Equal(isOneByOne, fixture[0].Snapshot().Rearms >= ClientCount);
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
