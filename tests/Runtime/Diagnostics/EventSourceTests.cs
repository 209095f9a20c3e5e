using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Tools that listen to the event source see reactors and connections come and go.</summary>
public class EventSourceTests() : ReactorTests(OneReactor)
{
    [Fact]
    public async Task ReactorsStartAndStop()
    {
        using var heard = new Heard(EventLevel.Informational);
        ReactorFixture fixture = ReactorFixture.Start();
        Assert.Equal([0, 1], heard.Of("ReactorStart").Select(payload => payload[0]).Order());
        Assert.Empty(heard.Of("ReactorStop"));

        await fixture.DisposeAsync();
        Assert.Equal([0, 1], heard.Of("ReactorStop").Select(payload => payload[0]).Order());
    }

    [Fact]
    public async Task ConnectionsStartAndStopAtTheVerboseLevel()
    {
        using var heard = new Heard(EventLevel.Verbose);
        await using RingListener listener = await Fixture.ListenAsync(EchoHandler.RunAsync);
        using (Socket client = await RawSocket.ConnectAsync(listener.EndPoint))
        {
            await client.SendAllAsync(new byte[1]);
            await client.ReceiveExactlyAsync(1);
        }

        await Waits.Eventually(() => heard.Of("ConnectionStop").Count > 0, 20.Seconds());
        object?[] started = Assert.Single(heard.Of("ConnectionStart"));
        object?[] stopped = Assert.Single(heard.Of("ConnectionStop"));
        Assert.Equal((0, started[1]), (stopped[0], stopped[1]));
        Assert.Equal((int)CloseReason.Disposed, stopped[2]);
    }

    [Fact]
    public async Task ConnectionsAreNotToldAtTheInformationalLevel()
    {
        using var heard = new Heard(EventLevel.Informational);
        await using (LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture))
        {
            await pair.Client.SendAllAsync(new byte[1]);
        }

        Assert.Single(heard.Of("ReactorStart"));
        Assert.Empty(heard.Of("ConnectionStart"));
    }

    [Fact]
    public async Task OutboundConnectsAreToldWithTheNamesOfTheFrameworksSource()
    {
        using var heard = new Heard(EventLevel.Informational);
        using Socket listener = RawSocket.Listen();
        using Socket bound = RawSocket.Reserve();
        await using (await Fixture.Group.ConnectAsync(listener.LocalEndPoint!).Within(20.Seconds()))
        {
            Assert.Equal([listener.LocalEndPoint!.ToString()], Assert.Single(heard.Of("ConnectStart")));
            Assert.Empty(Assert.Single(heard.Of("ConnectStop")));
            Assert.Empty(heard.Of("ConnectFailed"));
        }

        SocketException error = await Assert.ThrowsAsync<SocketException>(
            () => Fixture.Group.ConnectAsync(bound.LocalEndPoint!).Within(20.Seconds()));
        Assert.Equal([(int)SocketError.ConnectionRefused, error.Message], Assert.Single(heard.Of("ConnectFailed")));
        Assert.Equal((2, 2), (heard.Of("ConnectStart").Count, heard.Of("ConnectStop").Count));
        Assert.Empty(heard.Of("ConnectCanceled"));

        using var source = new CancellationTokenSource();
        Task connecting = await Fixture[0].RunAsync(() =>
        {
            Task<RingConnection> attempt = Fixture.Group.ConnectAsync(listener.LocalEndPoint!, null, source.Token).AsTask();
            source.Cancel();
            return Task.FromResult<Task>(attempt);
        });
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.Within(20.Seconds()));
        Assert.Single(heard.Of("ConnectCanceled"));
        Assert.Equal((3, 3), (heard.Of("ConnectStart").Count, heard.Of("ConnectStop").Count));
    }

    [Fact]
    public async Task OperationsAreTracedFromTheirSubmissionToTheirResult()
    {
        const int Bytes = 7;
        using var heard = new Heard(EventLevel.Verbose, IoxideEventSource.Keywords.Operations);
        await using (LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture))
        {
            await pair.Client.SendAllAsync(new byte[Bytes]);
            await Waits.Eventually(() => heard.Of("OperationComplete").Any(payload => payload is [0, "Receive", _, Bytes]), 20.Seconds());
        }

        await Waits.Eventually(() => heard.Of("OperationComplete").Any(payload => payload is [0, "Close", _, 0]), 20.Seconds());
        object?[] received = heard.Of("OperationComplete").First(payload => payload is [0, "Receive", _, Bytes]);
        Assert.Contains(heard.Of("OperationSubmit"), payload => payload is [0, "Receive", _] && Equals(payload[2], received[2]));
        Assert.Contains(heard.Of("OperationSubmit"), payload => payload is [0, "Close", _] && Equals(payload[2], received[2]));
    }

    [Fact]
    public async Task OperationsAreTracedForNobodyElse()
    {
        Assert.False(IoxideEventSource.TracesOperations);
        using (var heard = new Heard(EventLevel.Informational, IoxideEventSource.Keywords.Operations))
        {
            await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
            Assert.NotEmpty(heard.Of("ReactorStart"));
            Assert.Empty(heard.Of("OperationSubmit"));
            Assert.False(IoxideEventSource.TracesOperations);
        }

        using (new Heard(EventLevel.Verbose, IoxideEventSource.Keywords.Operations))
        {
            Assert.True(IoxideEventSource.TracesOperations);
        }

        Assert.False(IoxideEventSource.TracesOperations);
    }

    [Fact]
    public async Task AStallIsToldWithItsReactor()
    {
        using var heard = new Heard(EventLevel.Warning);
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.StallThreshold = 20.Milliseconds());
        using var release = new Blocker();
        Task blocked = fixture[1].RunAsync(() => release.Hold());
        await fixture.Events.FirstStallAsync(1, 20.Seconds());
        release.Release();
        await blocked.Within(20.Seconds());

        Assert.Contains(heard.Of("ReactorStall"), payload => payload[0] is 1 && payload[1] is >= 20L);
    }

    [Fact]
    public void TheManifestIsValid()
    {
        string? manifest = EventSource.GenerateManifest(
            typeof(IoxideEventSource), "Ioxide.dll", EventManifestOptions.Strict | EventManifestOptions.AllCultures);

        Assert.Contains("ReactorStart", manifest, StringComparison.Ordinal);
    }

    private sealed class Heard : EventListener
    {
        private readonly ConcurrentQueue<(string Name, object?[] Payload)> _events = new();

        internal Heard(EventLevel level, EventKeywords keywords = EventKeywords.None) => EnableEvents(IoxideEventSource.Log, level, keywords);

        internal IReadOnlyList<object?[]> Of(string name) => [.. _events.Where(one => one.Name == name).Select(one => one.Payload)];

        protected override void OnEventWritten(EventWrittenEventArgs eventData) => _events.Enqueue((eventData.EventName!, [.. eventData.Payload!]));
    }
}
