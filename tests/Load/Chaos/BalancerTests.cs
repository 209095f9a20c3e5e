using System.Globalization;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// Two instances behind HAProxy, as deploy/haproxy.cfg configures it. One drains, one is killed, under load: nothing is lost but what was
/// in flight on the killed one. The answers name the instance that HAProxy had asked, also those that are HAProxy's own.
/// </summary>
/// <remarks>Takes 7 s: HAProxy asks each instance for its health once per second.</remarks>
public class BalancerTests
{
    private const int Clients = 16;
    private const int LeastHeld = 3;
    private const int MostHeld = 200;

    [Fact]
    public async Task InstancesSeeTheClientThroughTheBalancer()
    {
        await using ServerProcess one = await StartAsync();
        await using ServerProcess two = await StartAsync();
        await using Balancer balancer = await Balancer.StartAsync(one.EndPoints[1], two.EndPoints[1]);
        var ids = new HashSet<string>();
        for (int client = 0; client < 8; client++)
        {
            using Peer peer = Peer.Connect(balancer.EndPoint);
            for (int request = 0; request < 3; request++)
            {
                string[] seen = peer.AskText("/who").Split(' ');
                Assert.Equal($"{peer.LocalEndPoint}", seen[0]);
                Assert.NotEmpty(seen[1]);
                ids.Add(seen[1]);
            }
        }

        Assert.InRange(ids.Count, 8, 24);
    }

    [Fact]
    public async Task NoRequestIsLostWhenAnInstanceDrainsAndComesBack()
    {
        int seed = Seed.Print();
        ServerProcess one = await StartAsync(stopDelaySeconds: 5);
        await using ServerProcess two = await StartAsync();
        try
        {
            IPEndPoint plain = one.EndPoints[0];
            IPEndPoint proxied = one.EndPoints[1];
            await using Balancer balancer = await Balancer.StartAsync(proxied, two.EndPoints[1]);
            Customers customers = Customers.Start(balancer.EndPoint, Clients, seed);
            try
            {
                await Waits.Eventually(
                    () => Math.Min(customers.AnsweredBy(Balancer.First), customers.AnsweredBy(Balancer.Second)) > Clients,
                    60.Seconds(), "both answer");
                one.Process.Signal(Signals.Terminate);
                await balancer.WaitAsync(Balancer.First, "DOWN");
                Assert.Equal(0, await one.Process.ExitAsync());
                int answered = customers.AnsweredBy(Balancer.Second);
                await Waits.Eventually(
                    () => customers.AnsweredBy(Balancer.Second) > answered + (10 * Clients), 60.Seconds(), "the other one answers alone");

                await one.DisposeAsync();
                one = await StartAsync(plain.Port, proxied.Port);
                await balancer.WaitAsync(Balancer.First, "UP");
                answered = customers.AnsweredBy(Balancer.First);
                await Waits.Eventually(() => customers.AnsweredBy(Balancer.First) > answered + Clients, 60.Seconds(), "it is back");
                await Waits.Eventually(() => customers.Answered >= ChaosScale.BalancedRequests, 120.Seconds(), "there were enough requests");
            }
            finally
            {
                await customers.StopAsync();
            }

            Figures.Print(Describe(customers));
            Assert.True(customers.Failures.Count == 0, string.Join('\n', customers.Failures.Take(5)));
            Assert.Equal(0, balancer.ErrorsOf(Balancer.Second));
            Assert.Equal((0, 0, 0), (customers.EndedUnanswered, customers.EndedIdle, customers.Refused));
        }
        finally
        {
            await one.DisposeAsync();
        }
    }

    [Fact]
    public async Task AKilledInstanceTakesWithItWhatWasInFlightOnItAndNothingElse()
    {
        int seed = Seed.Print();
        await using ServerProcess one = await StartAsync();
        await using ServerProcess two = await StartAsync();
        await using Balancer balancer = await Balancer.StartAsync(one.EndPoints[1], two.EndPoints[1]);
        using var held = new HeldRequests(balancer.EndPoint, seed);
        await held.HoldAsync(one, two, LeastHeld, MostHeld);
        Customers customers = Customers.Start(balancer.EndPoint, Clients, seed);
        try
        {
            await Waits.Eventually(
                () => Math.Min(customers.AnsweredBy(Balancer.First), customers.AnsweredBy(Balancer.Second)) > Clients,
                60.Seconds(), "both answer");
            int silentOnOne = SilentOn(one);
            int silentOnTwo = SilentOn(two);
            await one.KillAsync();
            Assert.Equal((silentOnOne, silentOnTwo), held.ExpectKilled(Balancer.First, () => Release(two)));
            await balancer.WaitAsync(Balancer.First, "DOWN");
            int answered = customers.AnsweredBy(Balancer.Second);
            await Waits.Eventually(
                () => customers.AnsweredBy(Balancer.Second) > answered + (10 * Clients)
                    && customers.Answered >= ChaosScale.BalancedRequests,
                120.Seconds(), "the other one answers alone");
        }
        finally
        {
            await customers.StopAsync();
        }

        Figures.Print($"{Describe(customers)}; held and cut {held.Cut}, held and answered {held.Answered}");

        // A client has one request in flight, and none can be lost on an instance that is gone. What was sent to the killed one over a
        // connection that had been used before ends without an answer, so that the client repeats it.
        Assert.InRange(customers.Failures.Count + customers.EndedUnanswered, 0, Clients);
        Assert.Equal(0, balancer.ErrorsOf(Balancer.Second));
        Assert.All(customers.Failures, static failure => Assert.Contains($"from instance '{Balancer.First}'", failure, StringComparison.Ordinal));
        Assert.Empty(customers.WrongAnswers);
        Assert.Equal(0, customers.Refused);
    }

    internal static int SilentOn(ServerProcess host)
    {
        using Peer peer = Peer.Connect(host.EndPoint);
        return int.Parse(peer.AskText("/silent"), CultureInfo.InvariantCulture);
    }

    private static void Release(ServerProcess host)
    {
        using Peer peer = Peer.Connect(host.EndPoint);
        Assert.Equal("released", peer.AskText("/release"));
    }

    private static Task<ServerProcess> StartAsync(int port = 0, int proxyPort = 0, int stopDelaySeconds = 0) => ServerProcess.StartAsync(
        $"--Ioxide:StopDelay={TimeSpan.FromSeconds(stopDelaySeconds)}", $"--port={port}", $"--proxy-port={proxyPort}");

    private static string Describe(Customers customers)
        => $"{customers.Answered} requests answered, {customers.AnsweredBy(Balancer.First)} by the first instance and "
            + $"{customers.AnsweredBy(Balancer.Second)} by the second, {customers.Failures.Count} failed";
}
