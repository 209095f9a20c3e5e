using System.Diagnostics;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>What a request leaves in the execution context of the thread that began it: activities, logging scopes, <see cref="AsyncLocal{T}"/>.</summary>
public class ContextTests
{
    private static readonly AsyncLocal<string?> s_local = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ARequestSeesNothingOfTheOneBefore(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = Handle });
        using FrameClient client = await host.ConnectAsync();
        for (int id = 1; id < 16; id += 4)
        {
            await client.SendAsync(FrameClient.Request(id, "/waits", ends: false, method: "POST"));
            await client.SendAsync(FrameClient.Request(id + 2, "/answers"));
            Assert.Equal("before: nothing, parent: nothing, own: /answers", AnswerTests.Text(await client.ReadStreamAsync(id + 2)));
            await client.SendAsync(FrameClient.Data(id, "body"u8, ends: true));
            Assert.Equal("before: nothing, parent: nothing, own: /waits", AnswerTests.Text(await client.ReadStreamAsync(id)));
        }

        // No async method: what it sets stays on the thread unless the server puts it back.
        static Task Handle(HttpContext context)
        {
            string before = $"before: {s_local.Value ?? "nothing"}, parent: {Activity.Current!.Parent?.Id ?? "nothing"}";
            s_local.Value = context.Request.Path;
            return context.Request.Path == "/waits" ? WaitAsync(context, before) : AnswerAsync(context, before);
        }

        static async Task WaitAsync(HttpContext context, string before)
        {
            await context.Request.Body.CopyToAsync(Stream.Null);
            await AnswerAsync(context, before);
        }

        static Task AnswerAsync(HttpContext context, string before) => context.Response.WriteAsync($"{before}, own: {s_local.Value}");
    }
}
