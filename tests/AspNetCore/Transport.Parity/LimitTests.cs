using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Kestrel's limits end connections in the same way over each transport.</summary>
public class LimitTests
{
    [Theory, OverTransports]
    public async Task AnIdleConnectionEndsWithFinAfterTheKeepAliveTimeout(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, limits => limits.KeepAliveTimeout = 1.Seconds());
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("/", (await client.GetAsync("/")).Text);

        await client.AssertEndsAsync(Ending.Fin);
    }

    [Theory, OverTransports]
    public async Task ARequestWhoseHeadersDoNotComeIsAnsweredWithATimeout(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, limits => limits.RequestHeadersTimeout = 1.Seconds());
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("GET / HTTP/1.1\r\nHost: loc");

        RawResponse response = await client.ReadResponseAsync();

        Assert.Equal(408, response.Status);
    }

    [Theory, OverTransports]
    public async Task AConnectionAboveTheLimitIsClosedAndOneAfterItIsServed(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, limits => limits.MaxConcurrentConnections = 1);
        RawClient first = await server.ConnectAsync();
        Assert.Equal("/", (await first.GetAsync("/")).Text);
        using (RawClient second = await server.ConnectAsync())
        {
            await second.AssertEndsAsync(Ending.Fin);
        }

        Assert.Equal("/", (await first.GetAsync("/")).Text);
        first.Dispose();

        Assert.Equal("/after", await GetWhenAdmittedAsync(server));
    }

    /// <summary>A closed connection whose client stays no longer counts for the limit; it must not hold a descriptor for each of them.</summary>
    [Theory, OverTransports]
    public async Task BadRequestsWhoseClientsStayHoldFewDescriptorsAndOthersAreServed(TransportKind transport, EndPointKind endPoint)
    {
        const int Limit = 20;
        const int Attackers = 500;
        const int MostLingering = 256;
        await using TestServer server = await StartAsync(transport, endPoint, limits => limits.MaxConcurrentConnections = Limit);
        string bad = "BAD\r\n\r\n" + new string('x', 3000);
        var attackers = new List<RawClient>();
        for (int number = 0; number < Attackers; number++)
        {
            RawClient attacker = await server.ConnectAsync();
            attackers.Add(attacker);
            await attacker.SendAsync(bad);
            _ = await attacker.ReadToEndAsync();
        }

        Assert.Equal("/after", await GetWhenAdmittedAsync(server));
        if (server.Services.GetService<IReactorGroupSource>() is { } source && transport == TransportKind.Ioxide)
        {
            // Each has seen the end of its connection, so all that is open lingers.
            int open = source.GetReactors().Reactors.Sum(reactor => reactor.Snapshot().Connections);
            Assert.InRange(open, 0, MostLingering + Limit);
        }

        attackers.ForEach(static attacker => attacker.Dispose());
    }

    [Theory, OverTransports]
    public async Task HeadersAboveTheLimitGive431(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, _ => { });
        using RawClient client = await server.ConnectAsync();
        string header = $"X-Large: {new string('a', 33_000)}\r\n";

        Assert.Equal(431, (await client.GetAsync("/", header)).Status);
    }

    [Theory, OverTransports]
    public async Task HeadersBelowTheLimitAreRead(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, _ => { });
        using RawClient client = await server.ConnectAsync();
        string headers = string.Concat(Enumerable.Range(0, 30).Select(i => $"X-Large-{i}: {new string('a', 1000)}\r\n"));

        Assert.Equal("/", (await client.GetAsync("/", headers)).Text);
    }

    [Theory, OverTransports]
    public async Task ARequestLineAboveTheLimitGives414(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, _ => { });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal(414, (await client.GetAsync("/" + new string('a', 9_000))).Status);
    }

    [Theory, OverTransports]
    public async Task ARequestLineBelowTheLimitIsRead(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint, _ => { });
        using RawClient client = await server.ConnectAsync();
        string path = "/" + new string('a', 8_000);

        Assert.Equal(path, (await client.GetAsync(path)).Text);
    }

    private static Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint, Action<KestrelServerLimits> change)
        => TestServer.StartAsync(new(transport, endPoint) { Handler = Handlers.PathAsync, Kestrel = kestrel => change(kestrel.Limits) });

    /// <summary>Tries until the server has noticed that the first connection is gone.</summary>
    private static async Task<string> GetWhenAdmittedAsync(TestServer server)
    {
        for (int attempt = 0; ; attempt++)
        {
            using RawClient client = await server.ConnectAsync();
            try
            {
                return (await client.GetAsync("/after")).Text;
            }
            catch (Exception exception) when (attempt < 500 && exception is IOException or SystemException)
            {
                await Task.Delay(10);
            }
        }
    }
}
