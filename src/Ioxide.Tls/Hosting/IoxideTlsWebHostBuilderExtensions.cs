using Ioxide;
using Ioxide.Tls;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves HTTPS on the ring for every endpoint that uses HTTPS.</summary>
public static class IoxideTlsWebHostBuilderExtensions
{
    /// <summary>
    /// Serves every HTTPS endpoint on the ring, whether it comes from code (<c>UseHttps</c>) or from configuration
    /// (<c>Kestrel:Endpoints:*:Certificate</c> and <c>Sni</c>). SslStream serves endpoints whose options only it supports, and connections that
    /// are not on rings, with the same options; the log says that it serves. An endpoint with <c>UseIoxideTls</c> keeps its own options.
    /// </summary>
    /// <remarks>May be called more than once. Call it before endpoints are configured in code, and after <c>ConfigureEndpointDefaults</c>.</remarks>
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

            services.TryAddSingleton<KestrelInternals>();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostCheck, TlsCheck>(
                static provider => new TlsCheck(() => provider.GetRequiredService<IOptions<IoxideTlsOptions>>().Value)));
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<KestrelServerOptions>, HttpsTakeOver>());
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<KestrelServerOptions>, HttpsTakeOver>());
        });
    }
}
