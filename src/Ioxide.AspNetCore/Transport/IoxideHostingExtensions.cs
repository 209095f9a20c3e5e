using Ioxide.AspNetCore;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Moves a web host to io_uring.</summary>
public static class IoxideHostingExtensions
{
    /// <summary>
    /// Serves Kestrel's connections on io_uring reactors. Where io_uring is unavailable, the sockets transport serves and one warning says
    /// why; see <see cref="IoxideTransportOptions.RequireIoUring"/>.
    /// </summary>
    /// <remarks>May be called more than once.</remarks>
    public static IWebHostBuilder UseIoxide(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static services => services.AddIoxideTransport());
    }

    /// <inheritdoc cref="UseIoxide(IWebHostBuilder)"/>
    public static IWebHostBuilder UseIoxide(this IWebHostBuilder builder, Action<IoxideTransportOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        return builder.ConfigureServices(services => services.AddIoxideTransport(configure));
    }
}
