namespace Ioxide.Files;

/// <summary>
/// Plans what the front door answers: asks the container, then the routing for each path of each folder. Logs once what it leaves to the pipeline.
/// </summary>
/// <remarks>Threads: one call at a time.</remarks>
internal sealed class FrontDoorPlanner(FileSites sites, RootRoutes root, IServiceProvider services) : IDisposable
{
    // Reasons that were logged. Each end point or policy may cause one; beyond the bound they are not logged.
    private const int MaxLogged = 1000;

    private readonly HashSet<string> _logged = new(StringComparer.Ordinal);
    private Endpoint[] _endpoints = [];
    private ApplicationRouting? _routing;
    private long _changes = -1;

    /// <param name="changes">Changes of end points so far: while it is the same, they are not read again.</param>
    /// <param name="before">The plan that holds now; routes of folders that did not change are kept.</param>
    /// <exception cref="Exception">Whatever the application's sources of end points throw.</exception>
    internal async Task<FrontDoorPlan> MakeAsync(long changes, FrontDoorPlan before)
    {
        FrontDoorObstacle? obstacle = await FrontDoorObstacle.FindAsync(services).ConfigureAwait(false);
        if (obstacle is not null && IsNew(obstacle.Reason))
        {
            string whom = obstacle.IsCleartextAlone ? "for cleartext connections" : "for all connections";
            FilesLog.DoorShut(sites.Logger, whom, obstacle.Reason, obstacle.Remedy);
        }

        if (obstacle is { IsCleartextAlone: false } || !TryRead(changes))
        {
            return FrontDoorPlan.Closed;
        }

        List<FrontDoorRoute> routes = [];
        foreach (Endpoint endpoint in _endpoints)
        {
            if (endpoint.Metadata.GetMetadata<FilesEndpoint>() is not { IsFallback: false } files)
            {
                continue;
            }

            if (FrontDoorRoute.ObstacleOf(endpoint) is { } metadata)
            {
                if (IsNew($"{files.Site.Folder}: {metadata}"))
                {
                    FilesLog.DoorClosed(sites.Logger, files.Site.Folder, metadata);
                }
            }
            else
            {
                routes.Add(before.Routes.FirstOrDefault(route => ReferenceEquals(route.Files, files) && route.IsCurrent)
                    ?? await JudgeAsync(files).ConfigureAwait(false));
            }
        }

        return new FrontDoorPlan([.. routes.OrderByDescending(static route => route.Prefix.Length)], obstacle is not null);
    }

    public void Dispose() => _routing?.Dispose();

    /// <summary>Reads the end points where they have changed.</summary>
    private bool TryRead(long changes)
    {
        if (_changes == changes && _routing is not null)
        {
            return true;
        }

        _routing?.Dispose();
        _routing = null;
        if (root.FindSources() is not { } sources)
        {
            const string Reason = "the application has more than one routing middleware (UseRouting twice, or in Map, MapWhen or UseWhen)";
            if (IsNew(Reason))
            {
                FilesLog.DoorShut(sites.Logger, "for all connections", Reason, "Map all end points on the application itself.");
            }

            return false;
        }

        _endpoints = [.. sources.SelectMany(static source => source.Endpoints).Distinct()];
        _routing = new ApplicationRouting(services, _endpoints);
        _changes = changes;
        return true;
    }

    private async Task<FrontDoorRoute> JudgeAsync(FilesEndpoint files)
    {
        FileSnapshot snapshot = files.Site.Snapshot;
        List<KeyValuePair<string, FileEntry>> own = [];
        foreach ((string path, FileEntry entry) in snapshot.Entries)
        {
            RouteVerdict verdict = await JudgeAsync(files, files.Prefix + path).ConfigureAwait(false);
            if (verdict.IsOwn)
            {
                own.Add(new(path, entry));
            }
            else if (verdict.Doubt is { } doubt && IsNew($"{files.Site.Folder}: {doubt}"))
            {
                FilesLog.PathsLeft(sites.Logger, files.Site.Folder, files.Prefix + path, doubt);
            }
        }

        return new FrontDoorRoute(files, snapshot, own);
    }

    private async Task<RouteVerdict> JudgeAsync(FilesEndpoint files, string path)
    {
        try
        {
            return await _routing!.JudgeAsync(files, path).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            // A policy of the application's, or two end points that routing cannot tell apart. The pipeline answers that.
            return new RouteVerdict(false, $"routing fails with {exception.GetType().Name}: {exception.Message}");
        }
    }

    private bool IsNew(string reason) => _logged.Count < MaxLogged && _logged.Add(reason);
}
