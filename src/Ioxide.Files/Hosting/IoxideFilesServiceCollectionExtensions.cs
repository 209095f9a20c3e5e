using Ioxide;
using Ioxide.Files;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the services for static files.</summary>
public static class IoxideFilesServiceCollectionExtensions
{
    /// <summary>Adds the services behind <c>MapIoxideFiles</c>, and <see cref="IoxideFiles"/>.</summary>
    /// <remarks>May be called more than once. The folders are read when the host starts, before it serves.</remarks>
    public static IServiceCollection AddIoxideFiles(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddRoutingCore();
        services.TryAddSingleton(static provider => OperatingSystem.IsLinux()
            ? new FileSites(
                provider.GetRequiredService<ILoggerFactory>(),
                provider.GetService<IReactorGroupSource>(),
                provider.GetService<System.Diagnostics.Metrics.IMeterFactory>())
            : throw new PlatformNotSupportedException("Ioxide.Files runs on Linux. Use UseStaticFiles elsewhere."));
        services.TryAddSingleton(static provider => new IoxideFiles(provider.GetRequiredService<FileSites>()));
        services.TryAddEnumerable(
        [
            ServiceDescriptor.Singleton<IStartupFilter, FilesStartupFilter>(),
            ServiceDescriptor.Singleton<MatcherPolicy, FilesMatcherPolicy>(),
            ServiceDescriptor.Singleton<IHostedService, FileSites>(static provider => provider.GetRequiredService<FileSites>()),
            ServiceDescriptor.Singleton<IHostCheck, FilesCheck>(),
        ]);
        return services;
    }
}
