using Ioxide;
using Ioxide.Pg;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a PostgreSQL data source on the host's reactors.</summary>
public static class IoxidePgServiceCollectionExtensions
{
    /// <summary>
    /// Adds a <see cref="PgDataSource"/> that lives on the reactors of <c>UseIoxide()</c>, or on its own reactors without it. Its options come from
    /// the configuration section <c>Ioxide:Pg</c>, then from code.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Changes options after the configuration was read. It runs when the host starts.</param>
    /// <inheritdoc cref="AddIoxidePg(IServiceCollection, string, Action{PgDataSourceOptions}?)" path="/remarks"/>
    public static IServiceCollection AddIoxidePg(this IServiceCollection services, Action<PgDataSourceOptions>? configure = null)
        => Add(services, connectionString: null, configure);

    /// <summary>Adds a <see cref="PgDataSource"/> that lives on the reactors of <c>UseIoxide()</c>, or on its own reactors without it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="connectionString">
    /// See <see cref="PgDataSourceOptions.Parse"/>; or one word, the name of a connection string below <c>ConnectionStrings</c> in the configuration.
    /// </param>
    /// <param name="configure">Changes options after the connection string was read. It runs when the host starts.</param>
    /// <remarks>
    /// The configuration section <c>Ioxide:Pg</c> is read first; the connection string and then code win over it. A value that cannot be used stops
    /// the start of the host; a key that no option has is a warning with the nearest one. The data source warms up when the host starts, and drains
    /// after the host has stopped its server.
    /// </remarks>
    /// <exception cref="ArgumentException">The connection string is malformed.</exception>
    public static IServiceCollection AddIoxidePg(
        this IServiceCollection services, string connectionString, Action<PgDataSourceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(connectionString);
        if (!HostedOptions.IsName(connectionString))
        {
            // A malformed one is refused where it is written.
            _ = PgDataSourceOptions.Parse(connectionString);
        }

        return Add(services, connectionString, configure);
    }

    private static IServiceCollection Add(IServiceCollection services, string? connectionString, Action<PgDataSourceOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddSingleton(provider => new HostedOptions(connectionString, configure, provider));
        services.TryAddSingleton(static provider => OperatingSystem.IsLinux()
            ? new HostedDataSource(provider.GetRequiredService<HostedOptions>(), provider)
            : throw new PlatformNotSupportedException("Ioxide.Pg runs on Linux. Register another driver elsewhere."));
        services.TryAddSingleton(static provider => provider.GetRequiredService<HostedDataSource>().DataSource);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, HostedDataSourceService>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostCheck, PgCheck>(static provider => new PgCheck(provider)));
        return services;
    }
}
