using System.Threading.Channels;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A flushed event reaches the client at once: the next one is made only when the last one was read.</summary>
public class ServerSentEventsTests
{
    [Theory, OverTransports]
    public async Task EachEventArrivesBeforeTheNextIsMade(TransportKind transport, EndPointKind endPoint)
    {
        Channel<string> events = Channel.CreateUnbounded<string>();
        await using TestServer server = await TestServer.StartAsync(transport, endPoint, async context =>
        {
            context.Response.ContentType = "text/event-stream";
            await context.Response.Body.FlushAsync();
            await foreach (string text in events.Reader.ReadAllAsync())
            {
                await context.Response.WriteAsync($"data: {text}\n\n");
                await context.Response.Body.FlushAsync();
            }
        });
        using HttpClient client = server.CreateClient();
        using HttpResponseMessage response = await client
            .GetAsync(new Uri("/", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead).Within(20.Seconds());
        using StreamReader reader = new(await response.Content.ReadAsStreamAsync());
        for (int i = 0; i < 20; i++)
        {
            Assert.True(events.Writer.TryWrite($"event {i}"));
            Assert.Equal($"data: event {i}", await reader.ReadLineAsync().Within(20.Seconds()));
            Assert.Equal("", await reader.ReadLineAsync().Within(20.Seconds()));
        }

        events.Writer.Complete();
        Assert.Null(await reader.ReadLineAsync().Within(20.Seconds()));
    }
}
