using Ioxide.AspNetCore;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Moves a web host to reactors.</summary>
public static class IoxideHostingExtensions
{
    /// <summary>
    /// Serves Kestrel's connections on reactors: on io_uring, or on epoll where the host refuses io_uring. One log line says which and why; see
    /// <see cref="IoxideTransportOptions.Kernel"/>.
    /// </summary>
    /// <remarks>May be called more than once.</remarks>
    public static IWebHostBuilder UseIoxide(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static (context, services) =>
        {
            CheckArguments.Restore(context.Configuration);
            services.AddIoxideTransport();
        });
    }

    /// <inheritdoc cref="UseIoxide(IWebHostBuilder)"/>
    public static IWebHostBuilder UseIoxide(this IWebHostBuilder builder, Action<IoxideTransportOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return builder.UseIoxide().ConfigureServices(services => services.AddIoxideTransport(configure));
    }
}
