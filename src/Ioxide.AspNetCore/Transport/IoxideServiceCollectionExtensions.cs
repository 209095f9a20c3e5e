using Ioxide;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the transport.</summary>
public static class IoxideServiceCollectionExtensions
{
    /// <summary>
    /// Adds the transport for servers that use an <see cref="IConnectionListenerFactory"/>, and an <see cref="IConnectionFactory"/>
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
            ServiceDescriptor.Singleton<IValidateOptions<IoxideTransportOptions>, IoxideTransportOptionsSetup>(),

            // Kestrel asks the last one first whether it can bind.
            ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketTransportFactory>(),
            ServiceDescriptor.Singleton<IConnectionListenerFactory, IoxideTransportFactory>(),
            ServiceDescriptor.Singleton<MatcherPolicy, EndpointPolicy>(),
            ServiceDescriptor.Singleton<IHostedService, ConfigurationCheck>(),
            ServiceDescriptor.Singleton<IHostCheck, ConfigurationCheck>(),
            ServiceDescriptor.Singleton<IHostedService, StartNotice>(),
            ServiceDescriptor.Singleton<IPostConfigureOptions<LoggerFilterOptions>, LogMute>(GetLogMute),
            ServiceDescriptor.Singleton<IOptionsChangeTokenSource<LoggerFilterOptions>, LogMute>(GetLogMute),
        ]);
        services.AddStopping();
        services.TryAddSingleton<PlacementRegistry>();
        services.TryAddSingleton<LateChecks>();
        services.TryAddSingleton<LogMute>();
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

    private static LogMute GetLogMute(IServiceProvider services) => services.GetRequiredService<LogMute>();

    /// <summary>Adds what every host needs to notice its stop, whichever transport serves.</summary>
    internal static void AddStopping(this IServiceCollection services)
    {
        services.TryAddSingleton<StopDelay>();
        services.TryAddEnumerable(
        [
            ServiceDescriptor.Singleton<IStartupFilter, RequestFilter>(),
            ServiceDescriptor.Singleton<IHostedService, StopDelay>(static services => services.GetRequiredService<StopDelay>()),
            ServiceDescriptor.Singleton<IPostConfigureOptions<HostOptions>, StopDelayTimeout>(),
        ]);
    }
}
