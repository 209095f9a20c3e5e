using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// Peers that ask for much and read nothing. What a server keeps for each is bounded, others do not notice, and when they go, or
/// are cut by Kestrel's minimum rate, everything is home.
/// </summary>
/// <remarks>Slow: Kestrel's minimum rate has a grace period of 5 s.</remarks>
public class NeverReadingTests
{
    private const int ReceiveBufferBytes = 4096;

    // Kestrel's 64 KiB, one write of 16 KiB, and the rest of the block that it lies in, for each peer; and some for the load.
    private const int MostBytesPerPeer = 128 * 1024;
    private const int MostBytesBesides = 64 * 1024 * 1024;

    [Fact]
    public async Task WhatIsKeptForThemIsBoundedAndComesHomeWhenTheyAbort()
    {
        const int Others = 8;
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync("--min-rate=0");
        LoadResult quiet = await Customers.RunAsync(host.EndPoints, Others, seed, 2.Seconds());
        await host.StatsWhereAsync(stats => stats.Connections == 0, 20.Seconds(), "the quiet load has left");
        HostStats start = await host.StatsAsync(collects: true);
        List<Peer> peers = await AskAsync(host, seed);
        try
        {
            HostStats stalled = await UntilStalledAsync(host);
            long grown = stalled.ResidentBytes - start.ResidentBytes;
            Figures.Print(
                $"{peers.Count} peers that asked for {Figures.MiB(ChaosScale.UnreadBytes)} each and read nothing: "
                + $"{Figures.KiB(grown / (double)peers.Count)} resident each, "
                + $"{Figures.MiB(stalled.BytesSent - start.BytesSent)} taken by the kernel");
            Assert.Equal(peers.Count, stalled.Connections);
            Assert.True(stalled.BytesSent - start.BytesSent < (long)peers.Count * ChaosScale.UnreadBytes, "Nobody had to wait.");
            Assert.Equal(0, stalled.BuffersTaken);

            LoadResult load = await Customers.RunAsync(host.EndPoints, Others, seed, 2.Seconds());
            Figures.Print($"others before: {quiet}");
            Figures.Print($"others beside: {load}");
            load.AssertNoneFailed();
            // Garbage of the load is not kept for them.
            grown = (await host.StatsAsync(collects: true)).ResidentBytes - start.ResidentBytes;
            long most = ((long)peers.Count * MostBytesPerPeer) + MostBytesBesides;
            Assert.True(grown <= most, $"{Figures.MiB(grown)} for {peers.Count} peers.");
        }
        finally
        {
            peers.ForEach(peer => peer.Reset());
        }

        long aborted = Stopwatch.GetTimestamp();
        await host.AssertAtBaseAsync(start);
        Figures.Print($"everything home {Stopwatch.GetElapsedTime(aborted).TotalSeconds:F2} s after they aborted");
    }

    [Fact]
    public async Task TheyAreCutByAMinimumRate()
    {
        // Kestrel allows time for what the kernel took, too: at its default of 240 bytes a second, over an hour for a megabyte.
        const int BytesPerSecond = 2_000_000;
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync($"--min-rate={BytesPerSecond}");
        HostStats start = await host.StatsAsync();
        List<Peer> peers = await AskAsync(host, seed);
        try
        {
            long asked = Stopwatch.GetTimestamp();
            await host.AssertAtBaseAsync(start);
            double seconds = Stopwatch.GetElapsedTime(asked).TotalSeconds;
            Figures.Print($"{peers.Count} peers cut within {seconds:F1} s; the grace is 2 s");
        }
        finally
        {
            peers.ForEach(peer => peer.Dispose());
        }
    }

    private static async Task<List<Peer>> AskAsync(ServerProcess host, int seed)
    {
        var peers = new List<Peer>();
        await Task.Run(() =>
        {
            for (int index = 0; index < ChaosScale.AbusivePeers; index++)
            {
                peers.Add(Peer.Connect(host.EndPoint, ReceiveBufferBytes));
                peers[index].SendPattern(Seed.KeyOf(seed, index), ChaosScale.UnreadBytes, path: "/blank?");
            }
        });
        return peers;
    }

    private static async Task<HostStats> UntilStalledAsync(ServerProcess host)
    {
        HostStats before = await host.StatsAsync();
        for (int look = 0; look < 120; look++)
        {
            await Task.Delay(250);
            HostStats now = await host.StatsAsync();
            if (now.Connections == ChaosScale.AbusivePeers && now.BytesSent == before.BytesSent)
            {
                return now;
            }

            before = now;
        }

        throw new TimeoutException($"The answers to peers that do not read go on and on: {before}");
    }
}
