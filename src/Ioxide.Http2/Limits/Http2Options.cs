using System.Text;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2;

/// <summary>The server's limits as applied to one connection; read when it begins, as Kestrel does.</summary>
internal sealed class Http2Options
{
    private static readonly KestrelServerOptions s_defaults = new();

    internal Http2Options(KestrelServerOptions server)
    {
        KestrelServerLimits limits = server.Limits;
        MaxStreams = limits.Http2.MaxStreamsPerConnection;
        HeaderTableBytes = limits.Http2.HeaderTableSize;
        MaxFrameBytes = limits.Http2.MaxFrameSize;
        MaxFieldBytes = limits.Http2.MaxRequestHeaderFieldSize;
        ConnectionWindow = limits.Http2.InitialConnectionWindowSize;
        StreamWindow = limits.Http2.InitialStreamWindowSize;
        MaxHeaderBytes = limits.MaxRequestHeadersTotalSize;
        MaxHeaderCount = limits.MaxRequestHeaderCount;
        MaxRequestLineBytes = limits.MaxRequestLineSize;
        MaxRequestBodyBytes = limits.MaxRequestBodySize;
        ResponseBufferBytes = Math.Max(1, limits.MaxResponseBufferSize ?? long.MaxValue);
        AllowSynchronousIO = server.AllowSynchronousIO;
        ServerField = server.AddServerHeader ? "Kestrel" : null;
        RequestRate = limits.MinRequestBodyDataRate;
        ResponseRate = limits.MinResponseDataRate;
        DrainRate = limits.MaxResponseBufferSize is null ? null : limits.MinResponseDataRate;
        PingDelay = limits.Http2.KeepAlivePingDelay;
        PingTimeout = limits.Http2.KeepAlivePingTimeout;
        KeepAliveTimeout = limits.KeepAliveTimeout;
        RequestHeadersTimeout = limits.RequestHeadersTimeout;
        AllowsAlternateSchemes = server.AllowAlternateSchemes;
        CompressesFields = server.AllowResponseHeaderCompression;
        RequestEncodings = server.RequestHeaderEncodingSelector is var request && request == s_defaults.RequestHeaderEncodingSelector
            ? null
            : request;
        ResponseEncodings = server.ResponseHeaderEncodingSelector is var response && response == s_defaults.ResponseHeaderEncodingSelector
            ? null
            : response;
    }

    internal bool AllowsAlternateSchemes { get; }

    /// <summary>Whether fields of answers are added to the table.</summary>
    internal bool CompressesFields { get; }

    /// <summary>The encoding of a request field's value by its name; null where all have the default.</summary>
    internal Func<string, Encoding?>? RequestEncodings { get; }

    /// <summary>The same for fields and trailers of answers.</summary>
    internal Func<string, Encoding?>? ResponseEncodings { get; }

    internal MinDataRate? RequestRate { get; }

    internal MinDataRate? ResponseRate { get; }

    /// <summary>The rate for a connection's last bytes: where a response may hold any number of them, there is none.</summary>
    internal MinDataRate? DrainRate { get; }

    /// <summary>Silence of the peer after which it is asked for a sign; <see cref="TimeSpan.MaxValue"/>: it never is.</summary>
    internal TimeSpan PingDelay { get; }

    /// <summary>How long the sign may take.</summary>
    internal TimeSpan PingTimeout { get; }

    internal TimeSpan KeepAliveTimeout { get; }

    internal TimeSpan RequestHeadersTimeout { get; }

    internal int MaxStreams { get; }

    internal int HeaderTableBytes { get; }

    internal int MaxFrameBytes { get; }

    internal int MaxFieldBytes { get; }

    internal int ConnectionWindow { get; }

    internal int StreamWindow { get; }

    internal int MaxHeaderBytes { get; }

    internal int MaxHeaderCount { get; }

    internal int MaxRequestLineBytes { get; }

    internal long? MaxRequestBodyBytes { get; }

    /// <summary>A flush waits from this many bytes on; at least 1.</summary>
    internal long ResponseBufferBytes { get; }

    internal bool AllowSynchronousIO { get; }

    internal string? ServerField { get; }
}
