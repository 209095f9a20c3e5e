using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// A graceful stop in the middle of everything: idle, dripping, never reading, waiting and busy clients at once. The time to
/// drain is short, so that most of them have to be aborted.
/// </summary>
public class StopTests
{
    private const int DrainSeconds = 2;

    [Fact]
    public async Task AServerInTheMiddleOfEverythingEndsInTimeAndWithStatusZero()
    {
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync("--min-rate=0", $"--shutdown-timeout={DrainSeconds}");

        // "/deaf" does not even notice that its client is gone.
        await using Crowd crowd = await Crowd.GatherAsync(host.EndPoint, seed, "/slow", "/deaf");
        await host.StatsWhereAsync(stats => stats.Connections > crowd.Connections, 20.Seconds(), "everybody is there");
        int answered = crowd.Answered;
        await Waits.Eventually(() => crowd.Answered > answered + 100, 20.Seconds(), "the busy ones are served");
        long stopping = Stopwatch.GetTimestamp();
        host.Process.Signal(Signals.Terminate);
        int status = await host.Process.ExitAsync();
        double seconds = Stopwatch.GetElapsedTime(stopping).TotalSeconds;
        Figures.Print(
            $"stopped among {crowd.Connections} connections and busy ones: {seconds:F2} s with {DrainSeconds} s to drain, "
            + $"exit status {status}, {crowd.Answered} busy requests answered before");
        Assert.Equal(0, status);
        Assert.Empty(crowd.WrongAnswers);
    }

    [Fact]
    public async Task AServerWithABlockedReactorEndsWithStatusZero()
    {
        const int BlockedMs = 5_000;
        await using ServerProcess host = await ServerProcess.StartAsync("--shutdown-timeout=1");
        using Peer blocked = Peer.Connect(host.EndPoint);
        blocked.Send($"GET /block?ms={BlockedMs} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await Waits.Eventually(
            () => host.Process.Output.Contains("has been blocked", StringComparison.Ordinal), 20.Seconds(), "the reactor is blocked");
        long stopping = Stopwatch.GetTimestamp();
        host.Process.Signal(Signals.Terminate);
        int status = await host.Process.ExitAsync();
        double seconds = Stopwatch.GetElapsedTime(stopping).TotalSeconds;
        Figures.Print($"stopped with a reactor blocked for {BlockedMs} ms: {seconds:F2} s with 1 s to drain, exit status {status}");
        Assert.True(status == 0, $"The host ended with {status}.\n{host.Process.Output}");
    }

    [Fact]
    public async Task ReactorsInTheMiddleOfEverythingLeaveNothing()
    {
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start();
        IPEndPoint endPoint = await fixture.ListenToManyAsync(RawHttp.ServeAsync);
        await using Crowd crowd = await Crowd.GatherAsync(endPoint, seed, "/slow");
        await Waits.Eventually(() => fixture.Stats().Connections > crowd.Connections, 20.Seconds(), "everybody is there");
        int answered = crowd.Answered;
        await Waits.Eventually(() => crowd.Answered > answered + 100, 20.Seconds(), "the busy ones are served");
        long stopping = Stopwatch.GetTimestamp();
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(DrainSeconds));
        await fixture.Group.StopAsync(limit.Token).Within(20.Seconds(), "the reactors have ended");
        double seconds = Stopwatch.GetElapsedTime(stopping).TotalSeconds;
        HostStats end = fixture.Stats();
        Figures.Print($"stopped among {crowd.Connections} connections and busy ones: {seconds:F2} s with {DrainSeconds} s to drain");
        Assert.Equal((0L, 0L, 0L), (end.Connections, end.Operations, end.BuffersTaken));
        Assert.Empty(crowd.WrongAnswers);
    }
}
