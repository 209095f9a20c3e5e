using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>What the scripts under Clients/Scripts talk to.</summary>
internal sealed class ClientApplication
{
    private int _abortedCount;

    internal void Map(WebApplication app)
    {
        _ = app.MapGet("/hello", static context =>
        {
            context.Response.Headers.Append("x-seen", context.Request.Protocol);
            context.Response.Headers.Append("set-cookie", new(["a=1", "b=2"]));
            return context.Response.WriteAsync($"hello {context.Request.Headers["x-sent"]} {context.Request.Headers.Cookie}");
        });
        _ = app.MapPost("/echo", static context => context.Request.Body.CopyToAsync(context.Response.Body));
        _ = app.MapPost("/trailers", static async context =>
        {
            context.Response.DeclareTrailer("x-sum");
            using MemoryStream body = new();
            await context.Request.Body.CopyToAsync(body);
            await context.Response.WriteAsync("body");
            string last = context.Request.CheckTrailersAvailable() ? context.Request.GetTrailer("x-last").ToString() : "";
            context.Response.AppendTrailer("x-sum", $"{body.Length} {last}".Trim());
        });
        _ = app.Map("/large", static async context =>
        {
            context.Response.ContentLength = 2_000_000;
            await context.Response.Body.WriteAsync(Pattern.Of(2_000_000, 0));
        });
        _ = app.MapGet("/empty", static context =>
        {
            context.Response.StatusCode = StatusCodes.Status204NoContent;
            return Task.CompletedTask;
        });
        _ = app.MapGet("/abort", static async context =>
        {
            await context.Response.WriteAsync("cut");
            await context.Response.Body.FlushAsync();
            context.Abort();
        });
        _ = app.MapGet("/reset", static context =>
        {
            context.Features.GetRequiredFeature<IHttpResetFeature>().Reset(11);
            return Task.CompletedTask;
        });
        _ = app.MapGet("/fail", static _ => throw new InvalidOperationException("It was asked for."));
        _ = app.MapGet("/wait", async context =>
        {
            await context.Response.Body.FlushAsync();
            TaskCompletionSource aborted = Waits.Signal();
            await using (context.RequestAborted.Register(aborted.SetResult))
            {
                await aborted.Task;
            }

            _ = Interlocked.Increment(ref _abortedCount);
        });
        _ = app.MapGet("/aborted", context => context.Response.WriteAsync($"{Volatile.Read(ref _abortedCount)}"));
    }
}
