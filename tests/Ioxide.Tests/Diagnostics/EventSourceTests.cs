using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Net.Sockets;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>Tools that listen to the event source see reactors and connections come and go.</summary>
public class EventSourceTests
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
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
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
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        await using (LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture))
        {
            await pair.Client.SendAllAsync(new byte[1]);
        }

        Assert.Single(heard.Of("ReactorStart"));
        Assert.Empty(heard.Of("ConnectionStart"));
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

        internal Heard(EventLevel level) => EnableEvents(IoxideEventSource.Log, level);

        internal IReadOnlyList<object?[]> Of(string name)
            => [.. _events.Where(one => one.Name == name).Select(one => one.Payload)];

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
            => _events.Enqueue((eventData.EventName!, [.. eventData.Payload!]));
    }
}
