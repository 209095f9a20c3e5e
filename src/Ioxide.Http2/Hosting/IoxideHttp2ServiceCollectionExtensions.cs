using Ioxide.Http2;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the services for HTTP/2 on the reactors.</summary>
public static class IoxideHttp2ServiceCollectionExtensions
{
    /// <summary>
    /// Adds the services behind <c>UseIoxideHttp2</c> for single endpoints, and wraps the server, so that the engine gets its application. The
    /// <c>UseIoxideHttp2</c> of the web host includes it.
    /// </summary>
    /// <remarks>Can be called twice. Call it after the server was registered, which <c>WebApplication.CreateBuilder</c> does.</remarks>
    /// <exception cref="InvalidOperationException">No server is registered by its type.</exception>
    public static IServiceCollection AddIoxideHttp2(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(static service => service.ServiceType == typeof(Http2Applications)))
        {
            return services;
        }

        ServiceDescriptor? server = services.LastOrDefault(static service => service.ServiceType == typeof(IServer) && !service.IsKeyedService);
        if (server?.ImplementationType is not { } type)
        {
            throw new InvalidOperationException("No server is registered by its type. Call UseIoxideHttp2 or AddIoxideHttp2 after UseKestrel.");
        }

        services.AddSingleton<Http2Applications>();
        services.TryAddSingleton<KestrelEndPoints>();
        services.AddSingleton<IServer>(provider => new Http2Server((IServer)ActivatorUtilities.CreateInstance(provider, type), provider));
        services.AddSingleton<IStartupFilter, Http2Server.Check>();
        return services;
    }
}
