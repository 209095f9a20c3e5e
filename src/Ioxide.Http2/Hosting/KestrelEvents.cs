using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;

namespace Ioxide.Http2;

/// <summary>The events of requests in Kestrel's event source, which is internal to it. Those of connections are Kestrel's to write.</summary>
/// <remarks>Where a version of Kestrel has others, none is written. Threads: any.</remarks>
internal static class KestrelEvents
{
    private const string SourceType =
        "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Infrastructure.KestrelEventSource, Microsoft.AspNetCore.Server.Kestrel.Core";

    private static EventSource? s_source;

    // Not before the first request: Kestrel makes it when it starts.
    static KestrelEvents()
        => s_source = EventSource.GetSources().FirstOrDefault(static source => source.Name == "Microsoft-AspNetCore-Server-Kestrel");

    /// <summary>A request begins or has ended.</summary>
    internal static void Write(HttpExchange exchange, bool isStart)
    {
        if (s_source is { } source && source.IsEnabled() && source.IsEnabled(EventLevel.Informational, EventKeywords.None))
        {
            Write(source, exchange, isStart);
        }
    }

    private static void Write(EventSource source, HttpExchange exchange, bool isStart)
    {
        ReceivedRequest request = exchange.Request;
        string connectionId = exchange.ConnectionFeature.ConnectionId;
        try
        {
            if (isStart)
            {
                RequestStart(source, connectionId, exchange.TraceIdentifier, request.Protocol, request.Path, request.Method);
            }
            else
            {
                RequestStop(source, connectionId, exchange.TraceIdentifier, request.Protocol, request.Path, request.Method);
            }
        }
        catch (Exception exception) when (exception is MissingMemberException or TypeLoadException)
        {
            s_source = null;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "RequestStart")]
    private static extern void RequestStart(
        [UnsafeAccessorType(SourceType)] object source, string connectionId, string requestId, string httpVersion, string path, string method);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "RequestStop")]
    private static extern void RequestStop(
        [UnsafeAccessorType(SourceType)] object source, string connectionId, string requestId, string httpVersion, string path, string method);
}
