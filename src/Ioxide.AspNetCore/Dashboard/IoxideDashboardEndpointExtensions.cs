using System.Diagnostics.CodeAnalysis;
using Ioxide.AspNetCore;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps the dashboard of the reactors.</summary>
public static class IoxideDashboardEndpointExtensions
{
    /// <summary>
    /// Serves a page with live plots of each reactor, and below it the figures as server-sent events, one a second. Nothing is
    /// measured for it while nobody watches.
    /// </summary>
    /// <param name="endpoints">The application.</param>
    /// <param name="pattern">The page's path. Defaults to <c>/ioxide</c>; the events are at <c>events</c> below it.</param>
    /// <returns>Both end points, to ask for authorization, a host name and the like.</returns>
    /// <remarks>
    /// It shows nothing of requests or their content, but how busy the process is and which database it uses: call
    /// <c>RequireAuthorization()</c> where strangers reach it. At most 16 watchers at a time; more are answered with 503.
    /// </remarks>
    public static IEndpointConventionBuilder MapIoxideDashboard(
        this IEndpointRouteBuilder endpoints, [StringSyntax("Route")] string pattern = "/ioxide")
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        DashboardEndpoints dashboard = EndpointsOf(endpoints.ServiceProvider);
        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        group.MapGet("", DashboardEndpoints.GetPageAsync).WithDisplayName("Ioxide dashboard");
        group.MapGet("events", dashboard.GetEventsAsync).WithDisplayName("Ioxide dashboard events").DisableRequestTimeout();
        group.ExcludeFromDescription();

        // Who looks does not count, and a stream of hours is no duration to plot.
        group.DisableHttpMetrics();
        return group;
    }

    private static DashboardEndpoints EndpointsOf(IServiceProvider services) => new(
        services.GetService<ReactorFleet>(),
        services.GetService<IMeterFactory>(),
        services.GetRequiredService<ILoggerFactory>(),
        services.GetRequiredService<IHostApplicationLifetime>());
}
