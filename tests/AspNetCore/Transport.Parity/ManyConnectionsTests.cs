namespace Ioxide.AspNetCore.Tests;

/// <summary>Many connections at once and one after the other are all served, each with its own answers.</summary>
public class ManyConnectionsTests
{
    [Theory, OverTransports]
    public async Task ServesFiveHundredConnectionsAtOnce(TransportKind transport, EndPointKind endPoint)
    {
        const int ConnectionCount = 500;
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(_ => server.ConnectAsync()));
        for (int round = 0; round < 3; round++)
        {
            RawResponse[] responses = await Task.WhenAll(clients.Select((client, i) => client.GetAsync($"/{round}/{i}")));
            Assert.Equal(Enumerable.Range(0, ConnectionCount).Select(i => $"/{round}/{i}"), responses.Select(response => response.Text));
        }

        Assert.Equal(ConnectionCount, server.Connections.Count);
        foreach (RawClient client in clients)
        {
            client.Dispose();
        }
    }

    [Theory, OverTransports]
    public async Task ServesConnectionsThatComeAndGo(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async worker =>
        {
            for (int i = 0; i < 40; i++)
            {
                using RawClient client = await server.ConnectAsync();
                string path = $"/{worker}/{i}";
                Assert.Equal(path, (await client.GetAsync(path, "Connection: close\r\n")).Text);
                Assert.Equal(Ending.Fin, (await client.ReadToEndAsync()).Ending);
            }
        }));
    }

    [Theory, OverTransports]
    public async Task SurvivesConnectionsThatAreDroppedAtOnce(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        for (int i = 0; i < 200; i++)
        {
            RawClient dropped = await server.ConnectAsync();
            if (i % 3 == 1)
            {
                await dropped.SendAsync(RawClient.Get("/dropped"));
            }

            if (i % 2 == 0)
            {
                dropped.Reset();
            }
            else
            {
                dropped.Dispose();
            }
        }

        using RawClient client = await server.ConnectAsync();
        Assert.Equal("/after", (await client.GetAsync("/after")).Text);
    }
}
