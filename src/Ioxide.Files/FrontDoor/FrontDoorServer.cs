using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>What the server's options say about requests and answers. They are read per request, as the server reads them.</summary>
internal sealed class FrontDoorServer(KestrelServerOptions options)
{
    private static readonly KestrelServerOptions s_defaults = new();

    internal KestrelServerLimits Limits => options.Limits;

    /// <summary>The line that names the server, or nothing.</summary>
    internal ReadOnlySpan<byte> ServerLine => options.AddServerHeader ? "Server: Kestrel\r\n"u8 : default;

    /// <summary>
    /// The option that makes the server read or write fields otherwise than the door does, or null. Asked when the end point is bound: all
    /// options have been set by then.
    /// </summary>
    internal static string? ObstacleOf(ListenOptions listen)
    {
        KestrelServerOptions options = listen.KestrelServerOptions;
        return !ReferenceEquals(options.RequestHeaderEncodingSelector, s_defaults.RequestHeaderEncodingSelector)
                ? nameof(options.RequestHeaderEncodingSelector)
            : !ReferenceEquals(options.ResponseHeaderEncodingSelector, s_defaults.ResponseHeaderEncodingSelector)
                ? nameof(options.ResponseHeaderEncodingSelector)
            : listen.Protocols.HasFlag(HttpProtocols.Http3) && !listen.DisableAltSvcHeader
                && listen.ApplicationServices.GetService<IMultiplexedConnectionListenerFactory>() is not null
                ? $"{nameof(listen.Protocols)} with HTTP/3, without {nameof(listen.DisableAltSvcHeader)}"
            : null;
    }

    /// <summary>The line for an answer of a site, whose own fields may have one.</summary>
    internal ReadOnlySpan<byte> ServerLineBeside(IDictionary<string, Microsoft.Extensions.Primitives.StringValues> fields)
        => fields.Count > 0 && fields.ContainsKey(HeaderNames.Server) ? default : ServerLine;
}
