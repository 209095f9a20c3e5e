using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>The server is killed under load and started again at once on its port.</summary>
/// <remarks>Takes 8 s: each kill starts a process.</remarks>
public class KillTests
{
    private const int Clients = 16;
    private const int ReplyBytes = 1_000;

    [Fact]
    public async Task AKilledServerListensAgainOnItsPort()
    {
        int seed = Seed.Print();
        ServerProcess host = await StartAsync(port: 0);
        IPEndPoint endPoint = host.EndPoint;
        Customers customers = Customers.Start(endPoint, Clients, seed);
        var times = new List<double>();
        try
        {
            for (int kill = 0; kill < ChaosScale.Kills; kill++)
            {
                int answered = customers.Answered;
                await Waits.Eventually(() => customers.Answered > answered + Clients, 20.Seconds(), "the load is there");
                await host.KillAsync();
                await host.DisposeAsync();
                host = await StartAsync(endPoint.Port);
                using Peer peer = Peer.Connect(endPoint);
                peer.Ask(Seed.KeyOf(seed, kill), ReplyBytes);
                times.Add(Stopwatch.GetElapsedTime(host.StartedAt).TotalSeconds);
            }
        }
        finally
        {
            await customers.StopAsync();
            await host.DisposeAsync();
        }

        times.Sort();
        Figures.Print(
            $"{times.Count} kills: serving again {times[times.Count / 2]:F2} s (median), {times[^1]:F2} s (slowest) after start; "
            + $"{customers.Answered} requests answered, {customers.Failures.Count + customers.EndedUnanswered} cut, "
            + $"{customers.Refused} refused meanwhile");
        Assert.Empty(customers.WrongAnswers);
        Assert.True(times[^1] < 10, $"{times[^1]:F1} s until the first answer.");
    }

    private static Task<ServerProcess> StartAsync(int port) => ServerProcess.StartAsync($"--port={port}");
}
