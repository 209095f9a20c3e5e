using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// More clients than the server may have descriptors. It must not spin, not fill the log and not forget who waits; connections
/// that are open go on.
/// </summary>
public class DescriptorTests
{
    private const int MaxOpenFiles = 256;
    private const int Clients = 400;
    private const int ReplyBytes = 500;
    private const double MostBusy = 0.2;

    [Fact]
    public async Task WithoutDescriptorsItRestsAndAfterwardsServesEverybody()
    {
        int seed = Seed.Print();
        await using HostProcess host = await HostProcess.StartAsync(MaxOpenFiles, ["--Ioxide:ReactorCount=1"]);
        HostStats start = host.Stats();
        int sockets = host.OpenSockets();
        var clients = new List<Peer>();
        try
        {
            for (int index = 0; index < Clients; index++)
            {
                clients.Add(Peer.Connect(host.EndPoint));
                clients[index].SendPattern(Seed.KeyOf(seed, index), ReplyBytes);
            }

            await host.StatsWhereAsync(stats => stats.AcceptPauses > 0, 10.Seconds(), "accepting has paused");
            await MeasureAsync(host, seed, clients[0]);
            HostStats full = host.Stats();
            Assert.True(full.Connections < Clients / 2, $"{full.Connections} connections fit.");
            long released = Stopwatch.GetTimestamp();
            for (int index = 1; index < Clients; index++)
            {
                clients[index].ReadReply(Seed.KeyOf(seed, index), ReplyBytes);
                clients[index].Dispose();
            }

            Figures.Print(
                $"{full.Connections - 1} of {Clients} clients fitted; the others were served within "
                + $"{Stopwatch.GetElapsedTime(released).TotalSeconds:F2} s of the first descriptor");
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }

        await host.AssertAtBaseAsync(start, sockets, 10.Seconds());
        using Peer late = Peer.Connect(host.EndPoint);
        late.Ask(Seed.KeyOf(seed, Clients), ReplyBytes);
    }

    private static async Task MeasureAsync(HostProcess host, int seed, Peer first)
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
        Assert.True(lines <= seconds + 1, $"{lines} lines in {seconds:F1} s.");

        // The open ones go on.
        first.ReadReply(Seed.KeyOf(seed, 0), ReplyBytes);
        first.Ask(Seed.KeyOf(seed, 0), ReplyBytes);
    }

    private static int Reports(HostProcess host)
        => host.Lines.Count(line => line.Contains("cannot accept", StringComparison.Ordinal));
}
