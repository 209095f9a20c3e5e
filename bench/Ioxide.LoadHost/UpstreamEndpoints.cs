namespace Ioxide.LoadHost;

/// <summary>A request that waits for another server.</summary>
internal static class UpstreamEndpoints
{
    internal static void MapUpstream(this IEndpointRouteBuilder routes, Uri? upstream)
    {
        if (upstream is null)
        {
            return;
        }

        // One client for the life of the process: its pool keeps the connections.
        var client = new HttpClient(new SocketsHttpHandler { UseProxy = false, UseCookies = false });
        routes.MapGet("/http", () => client.GetStringAsync(upstream));
    }
}
