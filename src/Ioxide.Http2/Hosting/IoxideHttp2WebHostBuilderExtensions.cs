using Ioxide.Http2;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTP/2 on the reactors for every endpoint.</summary>
public static class IoxideHttp2WebHostBuilderExtensions
{
    /// <summary>
    /// Serves HTTP/2 on the reactors on every endpoint that speaks it, whether it comes from code, from configuration (<c>Kestrel:Endpoints</c>) or
    /// from <c>--urls</c>: in clear text if the client begins with HTTP/2 (prior knowledge), over TLS if ALPN chose it. Kestrel continues to serve
    /// HTTP/1.1 on the same port. <see cref="IoxideHttp2ListenOptionsExtensions.UseKestrelHttp2"/> takes one endpoint out.
    /// </summary>
    /// <remarks>
    /// May be called more than once, and before or after endpoints, TLS and their defaults are configured: connection middleware runs before HTTP/2.
    /// Call it after <c>UseKestrel</c>. Where no reactors serve an endpoint, Kestrel does, and the log says why.
    /// </remarks>
    /// <exception cref="InvalidOperationException">No server is registered by its type.</exception>
    public static IWebHostBuilder UseIoxideHttp2(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static services => services.AddIoxideHttp2().AddSingleton(new Http2Applications { ServesAll = true }));
    }
}
