namespace Ioxide.AspNetCore.Tests;

/// <summary>A client that waits for <c>100 Continue</c> gets it where its body is read, and only there.</summary>
public class ExpectContinueTests
{
    private const string Head = "POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";

    [Theory, OverTransports]
    public async Task SaysContinueWhenTheHandlerReads(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, Handlers.EchoAsync);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(Head);

        RawResponse interim = await client.ReadResponseAsync();
        await client.SendAsync("hello");
        RawResponse final = await client.ReadResponseAsync();

        Assert.Equal((100, 200, "hello"), (interim.Status, final.Status, final.Text));
    }

    [Theory, OverTransports]
    public async Task SaysNothingWhenTheHandlerDoesNotRead(TransportKind transport, EndPointKind endPoint)
    {
        await using TestServer server = await TestServer.StartAsync(transport, endPoint);
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(Head);

        RawResponse response = await client.ReadResponseAsync();

        Assert.Equal((200, "/unread"), (response.Status, response.Text));
    }
}
