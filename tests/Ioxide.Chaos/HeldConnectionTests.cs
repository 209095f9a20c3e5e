using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>
/// Ten thousand connections that keep alive and say nothing, beside some that say much. What each costs is measured in a process
/// of its own, so that the clients do not count: with Kestrel and, because its objects are apart, with the runtime alone.
/// </summary>
public class HeldConnectionTests
{
    private const int Threads = 16;
    private const int ReplyBytes = 100;
    private const double MostManagedBytesOfTransport = 4096;

    [Theory]
    [InlineData(ServerKind.Kestrel)]
    [InlineData(ServerKind.Raw)]
    public async Task IdleConnectionsHoldNoBufferAndNoneIsLostBesideBusyOnes(ServerKind kind)
    {
        OpenFiles.Require(ChaosScale.HeldConnections + ChaosScale.ActiveConnections);
        int seed = Seed.Print();
        await using ChaosHost host = await ChaosHost.StartAsync(kind, "--Ioxide:ReactorCount=2", "--addresses=4");
        await Load.RunAsync(host.EndPoints, ChaosScale.ActiveConnections, seed, 1.Seconds());
        await host.StatsWhereAsync(stats => stats.Connections == 1, 20.Seconds(), "the first load has left");
        HostStats start = host.Stats(collects: true);
        int sockets = host.OpenSockets();

        var held = new Peer[ChaosScale.HeldConnections];
        try
        {
            await Crew.ForEachAsync(held.Length, Threads, index =>
            {
                held[index] = Peer.Connect(host.EndPoints[index % host.EndPoints.Count]);
                held[index].Ask(Seed.KeyOf(seed, index), ReplyBytes);
            }).Within(60.Seconds(), "every connection had its first answer");
            HostStats resting = host.Stats(collects: true);
            Assert.Equal((0L, held.Length + 1L), (resting.BuffersTaken, resting.Connections));
            double managed = (resting.ManagedBytes - start.ManagedBytes) / (double)held.Length;
            double resident = (resting.ResidentBytes - start.ResidentBytes) / (double)held.Length;
            Figures.Print(
                $"{kind}: {held.Length} idle connections, each {Figures.KiB(managed)} managed, "
                + $"{Figures.KiB(resident)} resident");

            LoadResult load = await Load.RunAsync(
                host.EndPoints, ChaosScale.ActiveConnections, seed, ChaosScale.LoadSeconds.Seconds());
            Figures.Print($"{kind}: {ChaosScale.ActiveConnections} active beside them: {load}");
            load.AssertNoneFailed();
            await host.StatsWhereAsync(
                stats => stats.BuffersTaken == 0 && stats.Connections == held.Length + 1,
                20.Seconds(),
                "only the idle ones are left");

            await Crew.ForEachAsync(held.Length, Threads, index => held[index].Ask(Seed.KeyOf(seed, index), ReplyBytes))
                .Within(60.Seconds(), "every idle connection answers again");
            if (kind == ServerKind.Raw)
            {
                Assert.True(managed <= MostManagedBytesOfTransport, $"{managed:F0} bytes an idle connection.");
            }
        }
        finally
        {
            foreach (Peer peer in held)
            {
                peer?.Dispose();
            }
        }

        long closed = Stopwatch.GetTimestamp();
        await host.AssertAtBaseAsync(start, sockets, 20.Seconds());
        Figures.Print($"{kind}: all closed {Stopwatch.GetElapsedTime(closed).TotalSeconds:F2} s after the last client");
    }
}
