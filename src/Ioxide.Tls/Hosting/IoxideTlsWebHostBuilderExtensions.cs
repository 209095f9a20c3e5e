using Ioxide.Tls;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTPS on the ring for every end point that uses HTTPS.</summary>
public static class IoxideTlsWebHostBuilderExtensions
{
    /// <summary>
    /// Every HTTPS end point, from code (<c>UseHttps</c>) or configuration (<c>Kestrel:Endpoints:*:Certificate</c>), is served on the
    /// ring, with nothing else changed. SslStream serves where an end point's options are only its own, or where its connections are not
    /// on rings; it keeps the options that are set here, and the log says so. Where it cannot keep one, the host does not start, and the
    /// exception names it. An end point with <c>UseIoxideTls</c> keeps its own options.
    /// </summary>
    /// <remarks>May be called twice. Call it before end points are configured in code, and after <c>ConfigureEndpointDefaults</c>.</remarks>
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

            services.TryAddSingleton<KestrelParts>();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<KestrelServerOptions>, HttpsTakeOver>());
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<KestrelServerOptions>, HttpsTakeOverCheck>());
        });
    }
}
