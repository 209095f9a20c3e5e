using Ioxide.Http2;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTP/2 on the reactors for one end point of Kestrel's.</summary>
public static class IoxideHttp2ListenOptionsExtensions
{
    /// <summary>
    /// Connections of HTTP/2 are served on their reactors, under the same application: in clear text where the client begins with
    /// HTTP/2 (prior knowledge), over TLS where ALPN chose it. HTTP/1.1 on the same port stays Kestrel's.
    /// </summary>
    /// <param name="listenOptions">The end point. Call it after <c>UseIoxideTls</c> where there is TLS.</param>
    /// <remarks>
    /// <para>The engine is new and not complete; the package's README says what is missing. Without this call Kestrel serves.</para>
    /// <para>Where an option asks for what the engine does not do, Kestrel serves the end point and a warning names the option. Connections that
    /// are not on io_uring, or whose TLS is <c>UseHttps</c>'s, are Kestrel's too.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException"><c>AddIoxideHttp2</c> was not called.</exception>
    public static ListenOptions UseIoxideHttp2(this ListenOptions listenOptions)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        Http2Applications applications = listenOptions.ApplicationServices.GetService<Http2Applications>()
            ?? throw new InvalidOperationException("Call builder.Services.AddIoxideHttp2() before UseIoxideHttp2.");
        ILogger logger = listenOptions.ApplicationServices.GetRequiredService<ILoggerFactory>().CreateLogger("Ioxide.Http2");
        listenOptions.Use(new Http2EndPoint(listenOptions, applications, logger).Build);
        return listenOptions;
    }
}
