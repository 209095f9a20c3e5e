using System.Diagnostics;

namespace Ioxide.Chaos;

/// <summary>The whole server stops and goes on (SIGSTOP, SIGCONT), as a paused container or virtual machine does.</summary>
public class FreezeTests
{
    private const int NewcomersPerFreeze = 50;
    private const int ReplyBytes = 5_000;

    private const int AnsweredBetween = 10 * ChaosScale.ActiveConnections;

    [Fact]
    public async Task NothingIsLostWhileTheServerIsFrozen()
    {
        int seed = Seed.Print();
        await using ServerProcess host = await ServerProcess.StartAsync();
        HostStats start = await host.StatsAsync();
        Customers load = Customers.StartSteady(host.EndPoints, ChaosScale.ActiveConnections, seed);
        for (int freeze = 0; freeze < ChaosScale.Freezes; freeze++)
        {
            int before = load.Answered;
            await Waits.Eventually(() => load.Answered >= before + AnsweredBetween, 60.Seconds(), "the load goes on");
            var newcomers = new List<Peer>();
            try
            {
                await host.Process.FreezeAsync();
                Fill(host, newcomers, seed);

                // Answers that came before the freeze are read yet; then each client of the load waits for one.
                await Waits.Eventually(() => load.Waiting == ChaosScale.ActiveConnections, 60.Seconds(), "every client waits");
                int waiting = load.Waiting;
                int answered = load.Answered;
                host.Process.Signal(Signals.Continue);
                long thawed = Stopwatch.GetTimestamp();
                await Waits.Eventually(() => load.Answered >= answered + waiting, 20.Seconds(), "those on their way are answered");
                for (int index = 0; index < newcomers.Count; index++)
                {
                    newcomers[index].ReadReply(Seed.KeyOf(seed, index), ReplyBytes);
                }

                Figures.Print(
                    $"{waiting} requests on their way and {newcomers.Count} newcomers were answered "
                    + $"{Stopwatch.GetElapsedTime(thawed).TotalMilliseconds:F0} ms after the freeze");
            }
            finally
            {
                host.Process.Signal(Signals.Continue);
                newcomers.ForEach(peer => peer.Dispose());
            }
        }

        LoadResult result = await load.StopAsync();
        Figures.Print($"{result}");
        result.AssertNoneFailed();
        await host.AssertAtBaseAsync(start);
    }

    /// <summary>Clients that come while the server is frozen.</summary>
    private static void Fill(ServerProcess host, List<Peer> newcomers, int seed)
    {
        for (int index = 0; index < NewcomersPerFreeze; index++)
        {
            newcomers.Add(Peer.Connect(host.EndPoint));
            newcomers[index].SendPattern(Seed.KeyOf(seed, index), ReplyBytes);
        }
    }
}
