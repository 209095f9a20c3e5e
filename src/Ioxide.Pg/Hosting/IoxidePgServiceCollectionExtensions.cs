using Ioxide;
using Ioxide.Pg;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a PostgreSQL data source on the host's reactors.</summary>
public static class IoxidePgServiceCollectionExtensions
{
    /// <summary>Adds a <see cref="PgDataSource"/> that lives on the reactors of <c>UseIoxide()</c>, or on its own reactors without it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="connectionString">See <see cref="PgDataSourceOptions.Parse"/>.</param>
    /// <param name="configure">Changes options after the connection string was parsed.</param>
    /// <remarks>The data source warms up when the host starts, and drains after the host has stopped its server.</remarks>
    /// <exception cref="ArgumentException">The connection string is malformed.</exception>
    public static IServiceCollection AddIoxidePg(
        this IServiceCollection services, string connectionString, Action<PgDataSourceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        PgDataSourceOptions options = PgDataSourceOptions.Parse(connectionString);
        configure?.Invoke(options);
        services.TryAddSingleton(provider => OperatingSystem.IsLinux()
            ? new HostedDataSource(options, provider)
            : throw new PlatformNotSupportedException("Ioxide.Pg runs on Linux. Register another driver elsewhere."));
        services.TryAddSingleton(static provider => provider.GetRequiredService<HostedDataSource>().DataSource);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, HostedDataSourceService>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostCheck, PgCheck>(_ => new PgCheck(options)));
        return services;
    }
}
