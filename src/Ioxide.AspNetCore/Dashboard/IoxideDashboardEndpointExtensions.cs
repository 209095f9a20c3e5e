using System.Diagnostics.CodeAnalysis;
using Ioxide.AspNetCore;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps a dashboard that shows the reactors.</summary>
public static class IoxideDashboardEndpointExtensions
{
    /// <summary>
    /// Serves a page with live plots of each reactor, and, below its path, the figures as server-sent events, one per second. Nothing is
    /// sampled while no page is open.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="pattern">The page's path. Defaults to <c>/ioxide</c>. The events are at <c>events</c> below it; at <c>dump</c>
    /// is a line of text about each connection, listener and operation.</param>
    /// <returns>All its endpoints, to add authorization, a required host name and other conventions.</returns>
    /// <remarks>
    /// It shows how busy the process is and which database it uses; the dump also shows the paths of running requests, which may hold secrets,
    /// and the addresses of clients. Call <c>RequireAuthorization()</c> where untrusted clients can reach it. At most 16 pages at a time; further
    /// ones are answered with 503.
    /// </remarks>
    public static IEndpointConventionBuilder MapIoxideDashboard(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/ioxide")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        DashboardEndpoints dashboard = EndpointsOf(endpoints.ServiceProvider);
        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        group.MapGet("", DashboardEndpoints.GetPageAsync).WithDisplayName("Ioxide dashboard");
        group.MapGet("dump", dashboard.GetDumpAsync).WithDisplayName("Ioxide dump");
        group.MapGet("events", dashboard.GetEventsAsync).WithDisplayName("Ioxide dashboard events").DisableRequestTimeout();
        group.ExcludeFromDescription();

        // The dashboard's own requests do not count, and a stream of hours is not a request duration.
        group.DisableHttpMetrics();
        return group;
    }

    private static DashboardEndpoints EndpointsOf(IServiceProvider services) => new(
        services.GetService<ReactorFleet>(),
        services.GetService<IMeterFactory>(),
        services.GetRequiredService<ILoggerFactory>(),
        services.GetRequiredService<IHostApplicationLifetime>());
}
