using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Requests are found wherever the network cuts them, and answered in their order.</summary>
public class PipeliningTests
{
    private static readonly byte[] s_threeRequests = Encoding.ASCII.GetBytes(
        RawClient.Get("/first", "X-Padding: 0123456789\r\n")
        + "POST /second HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
        + RawClient.Get("/third"));

    [Theory, OverTransports]
    public async Task AnswersRequestsCutInTwoAtEveryByte(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        for (int cut = 0; cut <= s_threeRequests.Length; cut++)
        {
            await client.SendAsync(s_threeRequests.AsMemory(0, cut));
            await client.SendAsync(s_threeRequests.AsMemory(cut));
            await AssertAnswersAsync(client);
        }
    }

    [Theory, OverTransports]
    public async Task AnswersRequestsSentByteByByte(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < s_threeRequests.Length; i++)
        {
            await client.SendAsync(s_threeRequests.AsMemory(i, 1));
        }

        await AssertAnswersAsync(client);
    }

    [Theory, OverTransports(2, 16, 1000)]
    public async Task AnswersThatManyRequestsOfOneWriteInOrder(TransportKind transport, EndPointKind endPoint, int requestCount)
    {
        await using TestServer server = await StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        await AssertInOrderAsync(client, requestCount);
    }

    [Theory, OverTransports]
    public async Task AnswersInOrderWhereEachHandlerGoesAway(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            await Task.Yield();
            await Handlers.PathAsync(context);
        });
        using RawClient client = await server.ConnectAsync();
        await AssertInOrderAsync(client, 100);
    }

    private static async Task AssertInOrderAsync(RawClient client, int requestCount)
    {
        Task sending = client.SendAsync(string.Concat(Enumerable.Range(0, requestCount).Select(i => RawClient.Get($"/{i}"))));
        for (int i = 0; i < requestCount; i++)
        {
            Assert.Equal($"/{i}", (await client.ReadResponseAsync()).Text);
        }

        await sending;
    }

    private static Task<TestServer> StartAsync(TransportKind transport, EndPointKind endPoint)
        => TestServer.StartAsync(transport, endPoint, async context =>
        {
            using StreamReader body = new(context.Request.Body);
            await Handlers.TextAsync(context, context.Request.Path.Value + await body.ReadToEndAsync());
        });

    private static async Task AssertAnswersAsync(RawClient client)
    {
        Assert.Equal("/first", (await client.ReadResponseAsync()).Text);
        Assert.Equal("/secondhello", (await client.ReadResponseAsync()).Text);
        Assert.Equal("/third", (await client.ReadResponseAsync()).Text);
    }
}
