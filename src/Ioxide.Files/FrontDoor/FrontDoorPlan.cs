using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files;

/// <summary>What the front door answers: folders, and the paths below them that other endpoints would win.</summary>
/// <param name="Routes">The longest prefix first: it is the most specific.</param>
/// <param name="Shadows">Paths that are left to the pipeline.</param>
internal sealed record FrontDoorPlan(FrontDoorRoute[] Routes, RouteShadows Shadows)
{
    internal static readonly FrontDoorPlan Closed = new([], new RouteShadows([]));

    internal static FrontDoorPlan Of(IReadOnlyList<Endpoint> endpoints, ILogger logger)
    {
        List<FrontDoorRoute> routes = [];
        foreach (Endpoint endpoint in endpoints)
        {
            if (endpoint.Metadata.GetMetadata<FilesEndpoint>() is not { IsFallback: false } files)
            {
                continue;
            }

            if (FrontDoorRoute.ObstacleOf(endpoint) is { } obstacle)
            {
                FilesLog.DoorClosed(logger, files.Site.Folder, obstacle);
            }
            else
            {
                routes.Add(new FrontDoorRoute(files));
            }
        }

        return new FrontDoorPlan([.. routes.OrderByDescending(static route => route.Prefix.Length)], new RouteShadows(endpoints));
    }
}
