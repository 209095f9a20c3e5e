namespace Ioxide.Tests;

/// <summary>The optional modes serve as the default does: busy polling, pinned threads.</summary>
public class RingModeTests : ReactorTests
{
    [Fact]
    public async Task BusyPollingWorksOrIsReported()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.BusyPollMicroseconds = 50);
        fixture.ExpectsExceptions = !fixture[0].Ring.IsBusyPolling;
        foreach (Reactor reactor in fixture.Reactors)
        {
            int reports = fixture.Events.Of(RecordedEvents.Kind.Unhandled).Count(report => report.ReactorId == reactor.Id);
            Assert.Equal(reactor.Ring.IsBusyPolling ? 0 : 1, reports);
        }

        Assert.All(
            fixture.Events.Of(RecordedEvents.Kind.Unhandled),
            report => Assert.Contains("busy polling", report.Exception!.Message, StringComparison.Ordinal));
        await AssertEchoesAsync(fixture, rounds: 10);
    }

    [Fact]
    public async Task BusyPollingIsOffUnlessAskedFor()
    {
        Assert.All(Fixture.Reactors, reactor => Assert.False(reactor.Ring.IsBusyPolling));
    }

    [Theory, Each(KernelChoice.IoUring, KernelChoice.Epoll)]
    public async Task ReactorsWithoutAListOfOperationsServe(KernelChoice kernel)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => (options.RestrictOperations, options.Kernel) = (false, kernel));
        Assert.DoesNotContain("restricted", fixture[0].Ring.Describe(), StringComparison.Ordinal);
        await AssertEchoesAsync(fixture, rounds: 3);
    }

    [Fact]
    public async Task PinnedReactorsRunOnOneProcessorEachAndShareNoneWhereThereAreEnough()
    {
        int[] allowed = Sys.AllowedProcessors();
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PinThreads = true);
        var processors = new List<int>();
        foreach (Reactor reactor in fixture.Reactors)
        {
            processors.Add(Assert.Single(await reactor.RunAsync(Sys.AllowedProcessors)));
        }

        Assert.Equal(fixture.Reactors.Select(reactor => allowed[reactor.Id % allowed.Length]), processors);
        Assert.Equal(allowed, Sys.AllowedProcessors());
    }

    [Fact]
    public async Task ReactorsThatAreNotPinnedMayRunWhereTheProcessMay()
    {
        Assert.Equal(Sys.AllowedProcessors(), await Fixture[0].RunAsync(Sys.AllowedProcessors));
    }

    private static async Task AssertEchoesAsync(ReactorFixture fixture, int rounds)
    {
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        using System.Net.Sockets.Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        byte[] message = new byte[10_000];
        for (int round = 0; round < rounds; round++)
        {
            new Random(round).NextBytes(message);
            await client.SendAllAsync(message);
            Assert.Equal(message, await client.ReceiveExactlyAsync(message.Length));
        }
    }
}
