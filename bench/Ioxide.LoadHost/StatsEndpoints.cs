namespace Ioxide.LoadHost;

/// <summary>The endpoint a comparison reads before and after a round.</summary>
internal static class StatsEndpoints
{
    internal static void MapStats(this IEndpointRouteBuilder routes)
        => routes.MapGet("/stats", static (HttpContext context) => HostStats.Read(context));
}
