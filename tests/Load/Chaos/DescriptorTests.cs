using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// More clients than the server may have descriptors. It must not spin, not fill the log and not forget who waits; connections
/// that are open go on.
/// </summary>
public class DescriptorTests
{
    private const int ReplyBytes = 500;
    private const int LeastSpare = 8;
    private const double MostBusy = 0.2;

    /// <summary>900 that come at once fit into the queues of two reactors (512 each), and each could take all of its own in one turn.</summary>
    [Theory]
    [InlineData(1, 256, 0)]
    [InlineData(2, 256, 0)]
    [InlineData(2, 800, 900)]
    public async Task WithoutDescriptorsItRestsAndAfterwardsServesEverybody(int reactors, int maxOpenFiles, int atOnce)
    {
        int seed = Seed.Print();
        int clientCount = atOnce > 0 ? atOnce : maxOpenFiles * 3 / 2;
        await using ServerProcess host = await ServerProcess.StartAsync(maxOpenFiles, [$"--sites=kestrel:{reactors}"]);

        HostStats start = await host.StatsAsync();
        var clients = new List<(Peer Peer, long Key)>();
        try
        {
            if (atOnce > 0)
            {
                await host.Process.FreezeAsync();
            }

            for (int index = 0; index < clientCount; index++)
            {
                clients.Add((Peer.Connect(host.EndPoint), Seed.KeyOf(seed, index)));
                clients[index].Peer.SendPattern(clients[index].Key, ReplyBytes);
            }

            if (atOnce > 0)
            {
                host.Process.Signal(Signals.Continue);
            }

            await host.StatsWhereAsync(stats => stats.AcceptPauses > 0, 20.Seconds(), "accepting has paused");
            await MeasureAsync(host, reactors, seed, clients[0].Peer);
            HostStats full = await host.StatsAsync();
            Assert.True(full.Connections < maxOpenFiles, $"{full.Connections} connections fit.");

            // Where no descriptor is free for a new thread, the framework ends the process.
            int open = host.Process.OpenDescriptors().Count;
            Assert.True(open <= maxOpenFiles - LeastSpare, $"{open} of {maxOpenFiles} descriptors are open.");
            long released = Stopwatch.GetTimestamp();
            var others = clients[1..];
            Assert.True(await Task.Run(() => Waiting.Serve(others, ReplyBytes, 60.Seconds())), $"{others.Count} clients were not served.");
            Figures.Print(
                $"{full.Connections} of {clientCount} clients fitted; the others were served within "
                + $"{Stopwatch.GetElapsedTime(released).TotalSeconds:F2} s of the first descriptor");
        }
        finally
        {
            clients.ForEach(static client => client.Peer.Dispose());
        }

        await host.AssertAtBaseAsync(start);
        using Peer late = Peer.Connect(host.EndPoint);
        late.Ask(Seed.KeyOf(seed, clientCount), ReplyBytes);
    }

    private static async Task MeasureAsync(ServerProcess host, int reactors, int seed, Peer first)
    {
        TimeSpan before = host.Process.ProcessorTime();
        int linesBefore = Reports(host);
        long started = Stopwatch.GetTimestamp();
        await Task.Delay(3.Seconds());
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        double busy = (host.Process.ProcessorTime() - before).TotalSeconds / seconds;
        int lines = Reports(host) - linesBefore;
        Figures.Print($"out of descriptors: {busy:P1} of a core, {lines} log lines in {seconds:F1} s");
        Assert.True(busy < MostBusy, $"{busy:P1} of a core.");
        Assert.True(lines <= reactors * (seconds + 1), $"{lines} lines in {seconds:F1} s.");

        // The open ones go on.
        first.ReadReply(Seed.KeyOf(seed, 0), ReplyBytes);
        first.Ask(Seed.KeyOf(seed, 0), ReplyBytes);
    }

    private static int Reports(ServerProcess host) => host.Process.Lines.Count(line => line.Contains("cannot accept", StringComparison.Ordinal));
}
