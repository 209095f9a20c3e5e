using System.Runtime.CompilerServices;
using Ioxide.Tls;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTPS on the ring for every end point that uses HTTPS.</summary>
public static class IoxideTlsWebHostBuilderExtensions
{
    /// <summary>
    /// Every HTTPS end point, from code (<c>UseHttps</c>) or configuration (<c>Kestrel:Endpoints:*:Certificate</c>), is served on the
    /// ring, with nothing else changed. SslStream goes on serving where an end point's options are only its own; the log says so.
    /// </summary>
    /// <remarks>May be called twice. Call it before end points are configured in code.</remarks>
    public static IWebHostBuilder UseIoxideTlsForHttps(this IWebHostBuilder builder, Action<IoxideTlsOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(services =>
        {
            services.AddOptions<IoxideTlsOptions>();
            if (configure is not null)
            {
                services.Configure(configure);
            }

            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<KestrelServerOptions>, HttpsTakeOver>());
        });
    }
}

/// <summary>Puts a look at the end point's HTTPS options before all of its middleware.</summary>
internal sealed class HttpsTakeOver(IOptions<IoxideTlsOptions> options) : IConfigureOptions<KestrelServerOptions>
{
    public void Configure(KestrelServerOptions kestrel) => kestrel.ConfigureEndpointDefaults(TakeOver);

    private void TakeOver(ListenOptions listen)
        => listen.Use(new HttpsEndPoint(listen, () => ReadHttps(listen), options.Value).Build);

    /// <summary>What <c>UseHttps</c> was told; null where it was not called, and where this Kestrel keeps it elsewhere.</summary>
    private static HttpsConnectionAdapterOptions? ReadHttps(ListenOptions listen)
    {
        try
        {
            return GetHttpsOptions(listen);
        }
        catch (MissingMethodException)
        {
            return null;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_HttpsOptions")]
    private static extern HttpsConnectionAdapterOptions? GetHttpsOptions(ListenOptions listen);
}
