using System.Runtime.CompilerServices;

namespace Ioxide.AspNetCore;

/// <summary>The placements of all end points of a host. Decides which of them caused a turn that took too long.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class PlacementBook : IStallJudge, IDisposable
{
    private readonly IOptions<IoxideTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly ConditionalWeakTable<Endpoint, EndpointPlacement> _byOriginal = [];
    private readonly PlacementMetrics _metrics;
    private RuntimeLock _lock;
    private WeakReference<EndpointPlacement>[] _placements = [];
    private long _promotions;
    private long _demotions;

    public PlacementBook(
        IOptions<IoxideTransportOptions> options, ILoggerFactory loggerFactory, IMeterFactory? meterFactory = null, TimeProvider? time = null)
    {
        _options = options;
        _logger = loggerFactory.CreateLogger("Ioxide.AspNetCore");
        Time = time ?? TimeProvider.System;
        Pipeline = new PipelinePlacement(this);
        _metrics = new PlacementMetrics(this, meterFactory);
    }

    internal TimeProvider Time { get; }

    internal PipelinePlacement Pipeline { get; }

    /// <summary>Whether end points have to earn the reactor.</summary>
    internal bool IsAdaptive => _options.Value.ApplicationScheduling == ApplicationScheduling.Adaptive;

    internal long Promotions => Volatile.Read(ref _promotions);

    internal long Demotions => Volatile.Read(ref _demotions);

    /// <summary>The end points that were found so far, without those that no route table holds any more.</summary>
    internal IEnumerable<EndpointPlacement> Endpoints
    {
        get
        {
            foreach (WeakReference<EndpointPlacement> reference in Volatile.Read(ref _placements))
            {
                if (reference.TryGetTarget(out EndpointPlacement? placement))
                {
                    yield return placement;
                }
            }
        }
    }

    /// <summary>Whether the end point is replaced by one that <see cref="Replace"/> makes.</summary>
    internal bool Replaces(Endpoint endpoint)
    {
        // Types of others than the framework may hold more than a copy has.
        bool hasCopy = endpoint is RouteEndpoint || endpoint.GetType() == typeof(Endpoint);
        if (!hasCopy || endpoint.RequestDelegate is null)
        {
            return false;
        }

        IRunsOn? runsOn = endpoint.Metadata.GetMetadata<IRunsOn>();
        return _options.Value.ApplicationScheduling switch
        {
            ApplicationScheduling.Adaptive => runsOn is not { IsReactor: true },
            ApplicationScheduling.Inline => runsOn is { IsReactor: false },
            _ => false,
        };
    }

    /// <summary>The end point to run in its place: the same one each time, or the end point itself.</summary>
    internal Endpoint Replace(Endpoint endpoint)
    {
        if (!Replaces(endpoint))
        {
            return endpoint;
        }

        if (_byOriginal.TryGetValue(endpoint, out EndpointPlacement? known))
        {
            return known.Endpoint;
        }

        using HeldLock held = _lock.Hold();
        if (!_byOriginal.TryGetValue(endpoint, out known))
        {
            bool isPinned = endpoint.Metadata.GetMetadata<IRunsOn>() is { IsReactor: false };
            known = new EndpointPlacement(this, endpoint, endpoint.RequestDelegate!, isPinned);
            _byOriginal.Add(endpoint, known);

            // A replacement needs none of its own.
            _byOriginal.Add(known.Endpoint, known);
            Volatile.Write(ref _placements, [.. _placements.Where(static placement => placement.TryGetTarget(out _)), new(known)]);
        }

        return known.Endpoint;
    }

    public void TurnStalled(Reactor reactor, TimeSpan duration, ReadOnlySpan<Suspect> suspects, object? request)
    {
        // A turn that noted as much as it can may have run more.
        bool isFull = suspects.Length == Reactor.MaxSuspects;
        object? only = !suspects.IsEmpty && !suspects.ContainsAnyExcept(suspects[0]) ? suspects[0].Code : null;
        List<EndpointPlacement> others = Behind(isFull, only);
        foreach (Suspect suspect in suspects)
        {
            ((Placement)suspect.Code).Stalled(reactor.Id, duration, isCertain: only is not null && others.Count == 0);
        }

        foreach (EndpointPlacement other in others)
        {
            other.Stalled(reactor.Id, duration, isCertain: false);
        }

        if (suspects.IsEmpty && (request is not null || (others.Count == 0 && Pipeline.HasGoneAsync)))
        {
            Pipeline.Doubt(reactor, duration);
        }
    }

    public void Blocked(Reactor reactor, TimeSpan duration, object? running)
    {
        if (running is Placement placement)
        {
            placement.Stalled(reactor.Id, duration, isCertain: true);
            return;
        }

        List<EndpointPlacement> others = Behind(all: false, only: null);
        foreach (EndpointPlacement other in others)
        {
            other.Stalled(reactor.Id, duration, isCertain: others.Count == 1);
        }

        if (others.Count == 0 && Pipeline.HasGoneAsync)
        {
            Pipeline.Stalled(reactor.Id, duration, isCertain: true);
        }
    }

    internal void Promoted(Placement placement, int runs)
    {
        Interlocked.Increment(ref _promotions);
        TransportLog.EndpointPromoted(_logger, placement.Name, runs);
    }

    internal void CountDemotion() => Interlocked.Increment(ref _demotions);

    /// <summary>Logs from the thread pool: a logger may wait, and the caller may be a reactor.</summary>
    internal void Log(Placement placement, bool isWarning, int reactorId, TimeSpan stalledFor, int neededRuns)
    {
        if (_logger.IsEnabled(isWarning ? LogLevel.Warning : LogLevel.Debug))
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                static line => Write(line.Logger, line.Name, line.IsWarning, line.ReactorId, line.StalledFor, line.NeededRuns),
                (Logger: _logger, placement.Name, IsWarning: isWarning, ReactorId: reactorId, StalledFor: stalledFor, NeededRuns: neededRuns),
                preferLocal: false);
        }
    }

    public void Dispose() => _metrics.Dispose();

    private static void Write(ILogger logger, string name, bool isWarning, int reactorId, TimeSpan stalledFor, int neededRuns)
    {
        if (isWarning)
        {
            TransportLog.EndpointDemoted(logger, name, reactorId, stalledFor.TotalMilliseconds, neededRuns);
        }
        else
        {
            TransportLog.EndpointSuspected(logger, name, reactorId, stalledFor.TotalMilliseconds, neededRuns);
        }
    }

    /// <summary>Proven end points whose code may have run behind an await: those that awaited lately; where none did, those that ever did.</summary>
    private List<EndpointPlacement> Behind(bool all, object? only)
    {
        List<EndpointPlacement> found =
            [.. Endpoints.Where(placement => placement.IsInline && !ReferenceEquals(placement, only) && (all || placement.HasGoneAsyncRecently))];
        if (found.Count == 0 && only is null)
        {
            found.AddRange(Endpoints.Where(static placement => placement.IsInline && placement.HasGoneAsync));
        }

        return found;
    }
}
