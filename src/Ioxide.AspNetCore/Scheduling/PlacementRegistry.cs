using System.Runtime.CompilerServices;

namespace Ioxide.AspNetCore;

/// <summary>The placements of all endpoints of a host. Decides which of them caused a turn that took too long.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class PlacementRegistry : ISlowTurnListener, IDisposable
{
    private const double ShortOfProcessors = 0.8;
    private const int ThrottledPercent = 50;

    private readonly IOptions<IoxideTransportOptions> _options;
    private readonly ILogger _logger;
    private readonly ConditionalWeakTable<Endpoint, EndpointPlacement> _byOriginal = [];
    private readonly PlacementMetrics _metrics;
    private RuntimeLock _lock;
    private WeakReference<EndpointPlacement>[] _placements = [];
    private long _stallIds;
    private long _promotions;
    private long _demotions;

    public PlacementRegistry(
        IOptions<IoxideTransportOptions> options, ILoggerFactory loggerFactory, IMeterFactory? meterFactory = null, TimeProvider? time = null)
    {
        _options = options;
        _logger = loggerFactory.CreateLogger("Ioxide.AspNetCore");
        Time = time ?? TimeProvider.System;
        IsShortOfProcessors = ReferenceEquals(Time, TimeProvider.System)
            ? static () => CpuPressure.Recent() >= ShortOfProcessors || CpuQuota.RecentPercent() >= ThrottledPercent
            : static () => false;
        Pipeline = new PipelinePlacement(this);
        _metrics = new PlacementMetrics(this, meterFactory);
    }

    internal TimeProvider Time { get; }

    /// <summary>
    /// Whether threads waited for a processor in most of the last seconds, or a quota kept them off: a sleep may wait for a thread that has none.
    /// </summary>
    internal Func<bool> IsShortOfProcessors { get; init; }

    /// <summary>Milliseconds of a clock that costs little to read.</summary>
    internal long NowMs => ReferenceEquals(Time, TimeProvider.System)
        ? Environment.TickCount64
        : Time.GetTimestamp() * 1000 / Time.TimestampFrequency;

    internal PipelinePlacement Pipeline { get; }

    /// <summary>Whether endpoints have to earn the reactor.</summary>
    internal bool IsAdaptive => _options.Value.ApplicationScheduling == ApplicationScheduling.Adaptive;

    internal long Promotions => Volatile.Read(ref _promotions);

    internal long Demotions => Volatile.Read(ref _demotions);

    /// <summary>The endpoints that were found so far, without those that no route table holds any more.</summary>
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

    /// <summary>Whether the endpoint is replaced by one that <see cref="Replace"/> makes.</summary>
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

    /// <summary>The endpoint to run in its place: the same one each time, or the endpoint itself.</summary>
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

    public void TurnWasSlow(Reactor reactor, TimeSpan duration, object[] ran, object? pipeline)
    {
        // A turn that noted as much as it can may have run more.
        bool isFull = ran.Length == TurnRecord.MaxPieces;
        object? only = ran.Length > 0 && Array.TrueForAll(ran, piece => ReferenceEquals(piece, ran[0])) ? ran[0] : null;
        List<EndpointPlacement> others = Behind(isFull, only);
        long stallId = Interlocked.Increment(ref _stallIds);
        foreach (object piece in ran)
        {
            ((Placement)piece).Stalled(reactor.Id, duration, isCertain: only is not null && others.Count == 0, stallId);
        }

        foreach (EndpointPlacement other in others)
        {
            other.Stalled(reactor.Id, duration, isCertain: false, stallId);
        }

        if (ran.Length == 0 && (pipeline is not null || (others.Count == 0 && Pipeline.HasGoneAsync)))
        {
            Pipeline.MayHaveStalled(reactor, duration);
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
        long stallId = Interlocked.Increment(ref _stallIds);
        foreach (EndpointPlacement other in others)
        {
            other.Stalled(reactor.Id, duration, isCertain: others.Count == 1, stallId);
        }

        if (others.Count == 0 && Pipeline.HasGoneAsync)
        {
            // Or what belongs to no endpoint: a hub, a callback, a service.
            Pipeline.Stalled(reactor.Id, duration, isCertain: false);
        }
    }

    /// <summary>A run on the pool showed which code caused a stall: all others that were demoted with it return.</summary>
    internal void FoundCause(Placement cause, long stallId)
    {
        foreach (EndpointPlacement placement in Endpoints.Where(placement => !ReferenceEquals(placement, cause)))
        {
            placement.Clear(stallId);
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
        Action<ILogger, string, int, double, int> write = isWarning ? TransportLog.EndpointDemoted : TransportLog.EndpointSuspected;
        ThreadPool.UnsafeQueueUserWorkItem(_ => write(_logger, placement.Name, reactorId, stalledFor.TotalMilliseconds, neededRuns), null);
    }

    public void Dispose() => _metrics.Dispose();

    /// <summary>Proven endpoints whose code may have run behind an await: those that awaited lately; where none did, those that ever did.</summary>
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
