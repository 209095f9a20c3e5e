using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// <see cref="PipeWriter.CancelPendingFlush"/> while no flush waits cancels the next one of a body, once, whichever thread the handler runs on.
/// </summary>
public class FlushCancelTests
{
    [Theory, OverTransports(true, false)]
    public async Task ACancelEndsTheNextFlushOnly(TransportKind transport, bool isOnPool)
    {
        await using TestServer server = await TestServer.StartAsync(transport, context => isOnPool ? Task.Run(() => CancelAsync(context)) : CancelAsync(context));
        using RawClient client = await server.ConnectAsync();
        for (int request = 0; request < 20; request++)
        {
            Assert.Equal("True False True False False", (await client.GetAsync("/")).Text);
        }
    }

    private static async Task CancelAsync(HttpContext context)
    {
        PipeWriter body = context.Response.BodyWriter;
        context.Response.ContentLength = "True False True False False".Length;
        await context.Response.StartAsync().ConfigureAwait(false);
        body.CancelPendingFlush();
        bool first = (await body.FlushAsync().ConfigureAwait(false)).IsCanceled;
        bool second = (await body.FlushAsync().ConfigureAwait(false)).IsCanceled;
        body.CancelPendingFlush();
        body.CancelPendingFlush();
        bool third = (await body.FlushAsync().ConfigureAwait(false)).IsCanceled;
        bool fourth = (await body.FlushAsync().ConfigureAwait(false)).IsCanceled;
        await context.Response.WriteAsync($"{first} {second} {third} {fourth} ").ConfigureAwait(false);
        await context.Response.WriteAsync($"{(await body.FlushAsync().ConfigureAwait(false)).IsCanceled}").ConfigureAwait(false);
    }
}
