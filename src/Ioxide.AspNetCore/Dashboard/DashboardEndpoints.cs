using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore;

/// <summary>Answers for the dashboard: its page, and the stream of events that the page plots.</summary>
internal sealed class DashboardEndpoints(
    ReactorFleet? fleet, IMeterFactory? meterFactory, ILoggerFactory loggerFactory, IHostApplicationLifetime lifetime)
{
    private readonly DashboardFeed _feed = new(fleet, meterFactory, loggerFactory.CreateLogger("Ioxide.AspNetCore"));

    internal static Task GetPageAsync(HttpContext context)
    {
        DashboardPage page = DashboardPage.Shared;
        IHeaderDictionary headers = context.Response.Headers;
        headers.ContentType = "text/html; charset=utf-8";
        headers.ContentLength = page.Content.Length;
        headers.ContentSecurityPolicy = page.ContentSecurityPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers.CacheControl = "no-store";
        return context.Response.BodyWriter.WriteAsync(page.Content, context.RequestAborted).AsTask();
    }

    internal async Task GetDumpAsync(HttpContext context)
    {
        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        string dump = await TransportInUse.Of(fleet).DescribeAsync().ConfigureAwait(false);
        await context.Response.WriteAsync(dump, context.RequestAborted).ConfigureAwait(false);
    }

    internal async Task GetEventsAsync(HttpContext context)
    {
        HttpResponse response = context.Response;
        if (!_feed.TryWatch())
        {
            response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            response.Headers.RetryAfter = "5";
            response.ContentType = "text/plain; charset=utf-8";
            await response.WriteAsync(
                $"All {DashboardFeed.MaxWatchers} places of the dashboard are taken. Close one of its pages.\n", context.RequestAborted)
                .ConfigureAwait(false);
            return;
        }

        using var ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        bool isSending = false;
        try
        {
            context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
            response.ContentType = "text/event-stream";
            response.Headers.CacheControl = "no-store";
            response.Headers["X-Accel-Buffering"] = "no";

            // A page that reads slowly misses some.
            ReadOnlyMemory<byte> message = await _feed.FirstAsync(ended.Token).ConfigureAwait(false);
            while (true)
            {
                isSending = true;
                await response.BodyWriter.WriteAsync(message, ended.Token).ConfigureAwait(false);
                isSending = false;
                message = await _feed.NextAsync(ended.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The watcher left, or the host stops. An unfinished send would delay the stop.
            if (isSending)
            {
                context.Abort();
            }
        }
        finally
        {
            _feed.Leave();
        }
    }
}
