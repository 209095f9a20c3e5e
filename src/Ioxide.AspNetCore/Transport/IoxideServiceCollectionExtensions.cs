using Ioxide;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the io_uring transport.</summary>
public static class IoxideServiceCollectionExtensions
{
    /// <summary>
    /// Adds the io_uring transport for servers that use an <see cref="IConnectionListenerFactory"/>, and an <see cref="IConnectionFactory"/>
    /// for outbound connections. The sockets transport stays registered as the fallback.
    /// </summary>
    /// <remarks>May be called more than once. Options are read from the configuration section <c>Ioxide</c>, then set by code.</remarks>
    public static IServiceCollection AddIoxideTransport(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddOptions<IoxideTransportOptions>().ValidateOnStart();
        services.TryAddEnumerable(
        [
            ServiceDescriptor.Singleton<IConfigureOptions<IoxideTransportOptions>, IoxideTransportOptionsSetup>(),
            ServiceDescriptor.Singleton<IValidateOptions<IoxideTransportOptions>, IoxideTransportOptionsValidator>(),

            // Kestrel asks the last one first whether it can bind.
            ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketTransportFactory>(),
            ServiceDescriptor.Singleton<IConnectionListenerFactory, IoxideTransportFactory>(),
            ServiceDescriptor.Singleton<MatcherPolicy, EndpointPolicy>(),
            ServiceDescriptor.Singleton<IHostedService, ConfigurationCheck>(),
        ]);
        services.AddStopping();
        services.TryAddSingleton<PlacementRegistry>();
        services.TryAddSingleton<LateChecks>();
        services.TryAddSingleton<ReactorFleet>();
        services.TryAddSingleton<IReactorGroupSource>(static services => services.GetRequiredService<ReactorFleet>());
        services.TryAddSingleton<IConnectionFactory, IoxideConnectionFactory>();
        return services;
    }

    /// <inheritdoc cref="AddIoxideTransport(IServiceCollection)"/>
    public static IServiceCollection AddIoxideTransport(this IServiceCollection services, Action<IoxideTransportOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddIoxideTransport().Configure(configure);
    }

    /// <summary>Adds what every host needs to notice its stop, whichever transport serves.</summary>
    internal static void AddStopping(this IServiceCollection services)
    {
        services.TryAddSingleton<StopState>();
        services.TryAddEnumerable(
        [
            ServiceDescriptor.Singleton<IStartupFilter, RequestFilter>(),
            ServiceDescriptor.Singleton<IHostedService, StopDelay>(),
            ServiceDescriptor.Singleton<IPostConfigureOptions<HostOptions>, StopDelayTimeout>(),
        ]);
    }
}

/// <summary>Binds the configuration section <c>Ioxide</c> where the host has a configuration.</summary>
internal sealed class IoxideTransportOptionsSetup(IServiceProvider services) : IConfigureOptions<IoxideTransportOptions>
{
    /// <exception cref="WrongOptionException">A value is not of its option's type.</exception>
    public void Configure(IoxideTransportOptions options)
    {
        try
        {
            services.GetService<IConfiguration>()?.GetSection(ConfigurationCheck.Section).Bind(options);
        }
        catch (InvalidOperationException exception)
        {
            // The binder's message has the whole key, the value and the type.
            throw new WrongOptionException(exception.Message, exception);
        }
    }
}
