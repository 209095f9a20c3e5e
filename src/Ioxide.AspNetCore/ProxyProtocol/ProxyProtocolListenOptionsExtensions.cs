using System.Runtime.CompilerServices;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Learns from a balancer who its clients are.</summary>
public static class ProxyProtocolListenOptionsExtensions
{
    /// <summary>
    /// Every connection of this end point begins with a PROXY protocol header, version 2 or 1 (HAProxy: <c>send-proxy-v2</c>): the
    /// connection's end points become those that it names, and <see cref="IProxyProtocolFeature"/> has the rest. Who sends none, and who
    /// is not trusted to, is refused, with a line in the log.
    /// </summary>
    /// <remarks>
    /// The header comes before everything else, TLS too, and so does this, wherever it is called among other middleware. It works over
    /// the io_uring and the sockets transport. May be called once for each end point.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static ListenOptions UseProxyProtocol(this ListenOptions listenOptions) => UseProxyProtocol(listenOptions, static _ => { });

    /// <inheritdoc cref="UseProxyProtocol(ListenOptions)"/>
    /// <param name="listenOptions">The end point.</param>
    /// <param name="configure">Sets the options; at least the balancer's network where that is not on this host.</param>
    public static ListenOptions UseProxyProtocol(this ListenOptions listenOptions, Action<ProxyProtocolOptions> configure)
        => UseProxyProtocol(listenOptions, configure, static listen => MiddlewareOf(listen));

    /// <param name="listenOptions">The end point.</param>
    /// <param name="configure">Sets the options.</param>
    /// <param name="middlewareOf">Finds the end point's middleware; throws <see cref="MissingMemberException"/> where Kestrel keeps it elsewhere.</param>
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
        var refusals = new RefusalLog(logger);
        ConnectionDelegate Read(ConnectionDelegate next) => new ProxyProtocolMiddleware(next, options, refusals, logger).OnConnectionAsync;

        // TLS for all end points (UseIoxideTlsForHttps) stands before what an end point adds to itself.
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

        return listenOptions;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_middleware")]
    private static extern ref List<Func<ConnectionDelegate, ConnectionDelegate>> MiddlewareOf(ListenOptions listen);
}
