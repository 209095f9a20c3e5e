using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// More clients than the server may have descriptors. It must not spin, not fill the log and not forget who waits; connections
/// that are open go on.
/// </summary>
public class DescriptorTests
{
    private const int ReplyBytes = 500;
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
        await using ChaosHost host = await ChaosHost.StartAsync(maxOpenFiles, [$"--Ioxide:ReactorCount={reactors}"]);
        HostStats start = host.Stats();
        int sockets = host.OpenSockets();
        var clients = new List<Peer>();
        try
        {
            if (atOnce > 0)
            {
                await host.FreezeAsync();
            }

            for (int index = 0; index < clientCount; index++)
            {
                clients.Add(Peer.Connect(host.EndPoint));
                clients[index].SendPattern(Seed.KeyOf(seed, index), ReplyBytes);
            }

            if (atOnce > 0)
            {
                host.Thaw();
            }

            await host.StatsWhereAsync(stats => stats.AcceptPauses > 0, 20.Seconds(), "accepting has paused");
            await MeasureAsync(host, reactors, seed, clients[0]);
            HostStats full = host.Stats();
            Assert.True(full.Connections < maxOpenFiles, $"{full.Connections} connections fit.");
            long released = Stopwatch.GetTimestamp();
            await ServeOthersAsync(clients, seed);
            Figures.Print(
                $"{full.Connections - 1} of {clientCount} clients fitted; the others were served within "
                + $"{Stopwatch.GetElapsedTime(released).TotalSeconds:F2} s of the first descriptor");
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }

        await host.AssertAtBaseAsync(start, sockets, 20.Seconds());
        using Peer late = Peer.Connect(host.EndPoint);
        late.Ask(Seed.KeyOf(seed, clientCount), ReplyBytes);
    }

    /// <summary>Whoever is served leaves at once, so that there is room for another.</summary>
    private static async Task ServeOthersAsync(List<Peer> clients, int seed)
    {
        var waiting = Enumerable.Range(1, clients.Count - 1).ToList();
        await Waits.Eventually(
            () =>
            {
                waiting.RemoveAll(index =>
                {
                    if (!clients[index].HasInput)
                    {
                        return false;
                    }

                    clients[index].ReadReply(Seed.KeyOf(seed, index), ReplyBytes);
                    clients[index].Dispose();
                    return true;
                });
                return waiting.Count == 0;
            },
            60.Seconds(),
            "everybody is served");
    }

    private static async Task MeasureAsync(ChaosHost host, int reactors, int seed, Peer first)
    {
        TimeSpan before = host.ProcessorTime();
        int linesBefore = Reports(host);
        long started = Stopwatch.GetTimestamp();
        await Task.Delay(3.Seconds());
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        double busy = (host.ProcessorTime() - before).TotalSeconds / seconds;
        int lines = Reports(host) - linesBefore;
        Figures.Print($"out of descriptors: {busy:P1} of a core, {lines} log lines in {seconds:F1} s");
        Assert.True(busy < MostBusy, $"{busy:P1} of a core.");
        Assert.True(lines <= reactors * (seconds + 1), $"{lines} lines in {seconds:F1} s.");

        // The open ones go on.
        first.ReadReply(Seed.KeyOf(seed, 0), ReplyBytes);
        first.Ask(Seed.KeyOf(seed, 0), ReplyBytes);
    }

    private static int Reports(ChaosHost host)
        => host.Lines.Count(line => line.Contains("cannot accept", StringComparison.Ordinal));
}
