using Microsoft.AspNetCore.HostFiltering;
using Microsoft.Extensions.Options;

namespace Ioxide.Files;

/// <summary>
/// Opens the front door for the paths that the application's routing gives to the folders, and plans again whenever that may have changed.
/// </summary>
/// <remarks>
/// <para>A change of end points or options shuts the door inside the notification of the change, before it is known what changed. A folder
/// that is read anew shuts itself: a plan holds for the snapshots that it was made of (<see cref="FrontDoorRoute.IsCurrent"/>).</para>
/// <para>Plans are made on the thread pool, one at a time; one that was overtaken by a change is thrown away. Threads: any.</para>
/// <para>Where a source of end points throws, the door is closed until the next start: the framework's routing then keeps the end points that it
/// had and
/// does not follow changes any more, so what it matches is not known.</para>
/// </remarks>
internal sealed class FrontDoorKeeper(FileSites sites, RootRoutes root, EndpointDataSource endpoints, IServiceProvider services)
    : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly List<IDisposable?> _watches = [];
    private readonly HashSet<FileSite> _watchedSites = [];
    private readonly FrontDoorPlanner _planner = new(sites, root, services);
    private Task _work = Task.CompletedTask;
    private long _changes;
    private bool _isWanted;
    private bool _isStarted;
    private bool _isWatching;
    private bool _isWorking;
    private bool _isAsked;
    private bool _isStopped;

    /// <summary>An end point of the server has a front door; without one nothing is asked. It may come while the server runs.</summary>
    internal void Want() => _ = BeginAsync(isWanted: true, isStarted: false);

    /// <summary>The host has started: opens the door where there is one. Returns when it is open.</summary>
    internal Task OpenAsync() => BeginAsync(isWanted: false, isStarted: true);

    /// <summary>Closes the door until the next start.</summary>
    public async ValueTask DisposeAsync()
    {
        Shut();
        foreach (IDisposable? watch in _watches)
        {
            watch?.Dispose();
        }

        await _work.ConfigureAwait(false);
        _planner.Dispose();
    }

    private Task BeginAsync(bool isWanted, bool isStarted)
    {
        lock (_lock)
        {
            _isWanted |= isWanted;
            _isStarted |= isStarted;
            if (!_isWanted || !_isStarted || _isWatching || _isStopped)
            {
                return Task.CompletedTask;
            }

            _isWatching = true;
        }

        try
        {
            Watch();
        }
        catch (Exception exception)
        {
            // Changes would not be seen.
            ShutForGood(exception);
        }

        Ask();
        return _work;
    }

    private void Watch()
    {
        // Each source, because one that throws keeps the change of the others from what is composed of them; and what is composed,
        // because sources may be added.
        foreach (EndpointDataSource source in root.FindSources() ?? [])
        {
            _watches.Add(ChangeToken.OnChange(source.GetChangeToken, OnSourceChanged, source));
        }

        _watches.Add(ChangeToken.OnChange(endpoints.GetChangeToken, OnChanged));
        _watches.Add(services.GetRequiredService<IOptionsMonitor<HostFilteringOptions>>().OnChange(_ => OnChanged()));
    }

    private void OnSourceChanged(EndpointDataSource source)
    {
        OnChanged();
        try
        {
            // Here, because the framework reads it here.
            _ = source.Endpoints;
        }
        catch (Exception exception)
        {
            ShutForGood(exception);
        }
    }

    private void OnChanged()
    {
        lock (_lock)
        {
            _changes++;
            sites.OpenFrontDoor(FrontDoorPlan.Closed);
        }

        Ask();
    }

    private void Ask()
    {
        lock (_lock)
        {
            _isAsked = true;
            if (_isWorking || _isStopped)
            {
                return;
            }

            _isWorking = true;
            _work = Task.Run(WorkAsync);
        }
    }

    private async Task WorkAsync()
    {
        while (TryBegin(out long changes, out FrontDoorPlan before))
        {
            FrontDoorPlan plan = await MakeAsync(changes, before).ConfigureAwait(false);
            lock (_lock)
            {
                if (changes == _changes && !_isStopped)
                {
                    sites.OpenFrontDoor(plan);
                }
            }
        }
    }

    private bool TryBegin(out long changes, out FrontDoorPlan before)
    {
        lock (_lock)
        {
            _isWorking = _isAsked && !_isStopped;
            _isAsked = false;
            changes = _changes;
            before = sites.FrontDoor;
            return _isWorking;
        }
    }

    private async Task<FrontDoorPlan> MakeAsync(long changes, FrontDoorPlan before)
    {
        foreach (FileSite site in sites.All)
        {
            if (_watchedSites.Add(site))
            {
                site.Reloaded += Ask;
            }
        }

        try
        {
            return await _planner.MakeAsync(changes, before).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            ShutForGood(exception);
            return FrontDoorPlan.Closed;
        }
    }

    private void ShutForGood(Exception exception)
    {
        Shut();
        FilesLog.DoorFailed(sites.Logger, exception.Message, exception);
    }

    private void Shut()
    {
        lock (_lock)
        {
            _isStopped = true;
            sites.OpenFrontDoor(FrontDoorPlan.Closed);
        }
    }
}
