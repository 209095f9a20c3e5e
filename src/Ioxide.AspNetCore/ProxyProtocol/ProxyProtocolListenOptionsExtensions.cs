using System.Runtime.CompilerServices;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Reads PROXY protocol headers, by which load balancers name their clients.</summary>
public static class ProxyProtocolListenOptionsExtensions
{
    /// <summary>
    /// Requires every connection of this endpoint to begin with a PROXY protocol header, version 1 or 2 (HAProxy: <c>send-proxy-v2</c>). The
    /// connection's endpoints become those that the header names; <see cref="IProxyProtocolFeature"/> has the rest. A connection without a
    /// header, or from a peer that is not a trusted proxy, is refused and logged.
    /// </summary>
    /// <remarks>
    /// The header comes before all other bytes, also before TLS, so it is read first, wherever this is called among other middleware. Works
    /// with the io_uring and the sockets transport. Call it once per endpoint.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">When the host starts: the endpoint serves HTTP/3.</exception>
    public static ListenOptions UseProxyProtocol(this ListenOptions listenOptions) => UseProxyProtocol(listenOptions, static _ => { });

    /// <inheritdoc cref="UseProxyProtocol(ListenOptions)"/>
    /// <param name="listenOptions">The endpoint.</param>
    /// <param name="configure">Sets the options. Add the balancer's network where the balancer is not on this host.</param>
    public static ListenOptions UseProxyProtocol(this ListenOptions listenOptions, Action<ProxyProtocolOptions> configure)
        => UseProxyProtocol(listenOptions, configure, static listen => MiddlewareOf(listen));

    /// <param name="listenOptions">The endpoint.</param>
    /// <param name="configure">Sets the options.</param>
    /// <param name="middlewareOf">
    /// Finds the endpoint's middleware; throws <see cref="MissingMemberException"/> where Kestrel keeps it elsewhere.
    /// </param>
    internal static ListenOptions UseProxyProtocol(
        ListenOptions listenOptions,
        Action<ProxyProtocolOptions> configure,
        Func<ListenOptions, List<Func<ConnectionDelegate, ConnectionDelegate>>> middlewareOf)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        ArgumentNullException.ThrowIfNull(configure);
        var options = new ProxyProtocolOptions();
        configure(options);
        options.Validate();
        ILoggerFactory loggers = listenOptions.ApplicationServices.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
        ILogger logger = loggers.CreateLogger("Ioxide.AspNetCore");
        ConnectionDelegate Read(ConnectionDelegate next) => new ProxyProtocolMiddleware(next, options, logger).OnConnectionAsync;

        // TLS for all endpoints (UseIoxideTlsForHttps) stands before what an endpoint adds to itself.
        try
        {
            middlewareOf(listenOptions).Insert(0, Read);
        }
        catch (MissingMemberException exception)
        {
            string version = typeof(ListenOptions).Assembly.GetName().Version?.ToString() ?? "";
            TransportLog.ProxyProtocolNotFirst(logger, listenOptions.ToString() ?? "", version, exception);
            listenOptions.Use(Read);
        }

        // Kestrel builds this pipeline for an endpoint that it is about to serve over QUIC, which has no such header.
        ((IMultiplexedConnectionBuilder)listenOptions).Use(_ => throw new InvalidOperationException(
            $"{listenOptions}: UseProxyProtocol does not cover HTTP/3, where any client would be served without a header. "
            + "Remove HTTP/3 from the endpoint's Protocols."));
        return listenOptions;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_middleware")]
    private static extern ref List<Func<ConnectionDelegate, ConnectionDelegate>> MiddlewareOf(ListenOptions listen);
}
