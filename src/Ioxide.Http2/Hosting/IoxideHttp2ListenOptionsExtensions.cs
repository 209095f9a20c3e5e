using Ioxide.Http2;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTP/2 on the reactors for one of Kestrel's end points.</summary>
public static class IoxideHttp2ListenOptionsExtensions
{
    /// <summary>
    /// Serves HTTP/2 connections on their reactors, with the same application: in clear text if the client begins with
    /// HTTP/2 (prior knowledge), over TLS if ALPN chose it. Kestrel continues to serve HTTP/1.1 on the same port.
    /// </summary>
    /// <param name="listenOptions">The end point. With TLS, call this method after <c>UseIoxideTls</c>.</param>
    /// <remarks>
    /// <para>The engine is new and incomplete; the package's README lists what is missing. Without this call Kestrel serves.</para>
    /// <para>If an option asks for something the engine lacks, Kestrel serves the end point and a warning names the option. Kestrel also serves
    /// connections that are not on io_uring, or whose TLS comes from <c>UseHttps</c>.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException"><c>AddIoxideHttp2</c> was not called.</exception>
    public static ListenOptions UseIoxideHttp2(this ListenOptions listenOptions)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        Http2Applications applications = listenOptions.ApplicationServices.GetService<Http2Applications>()
            ?? throw new InvalidOperationException("Call builder.Services.AddIoxideHttp2() before UseIoxideHttp2.");
        ILoggerFactory loggers = listenOptions.ApplicationServices.GetRequiredService<ILoggerFactory>();
        listenOptions.Use(new Http2EndPoint(listenOptions, applications, loggers).Build);
        return listenOptions;
    }
}
