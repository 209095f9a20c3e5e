using System.Diagnostics;
using System.Numerics;

namespace Ioxide.AspNetCore;

/// <summary>Where one piece of the application runs, and what its runs have shown so far.</summary>
/// <remarks>
/// <para>States: <see cref="PlacementState.Proving"/> -> Inline by <see cref="FirstProofRuns"/> quick runs in a row -> Demoted by a stall ->
/// Inline by twice as many quick runs for each stall, and where it surely caused one for each doubling of its length, up to
/// <see cref="LongestProofRuns"/>. A minute inline without a stall clears all earlier ones. Demoted -> Inline, and as if nothing had been, when
/// another one is found to have caused the stall. Pinned never changes.</para>
/// <para>A run is quick when no stretch of it between two awaits took a millisecond. One that took less than
/// <see cref="TurnRecord.SlowTurn"/> takes back <see cref="FirstProofRuns"/> quick runs, a slower one all of them. One that waited for a
/// processor, the collector or the compiler shows nothing.</para>
/// <para>Threads: any. A proven endpoint reads one field. It writes a field that reactors share at most once per second.</para>
/// </remarks>
internal abstract class Placement
{
    internal const int FirstProofRuns = 32;
    internal const int LongestProofRuns = 4096;

    internal static readonly TimeSpan CleanPeriod = TimeSpan.FromMinutes(1);
    internal static readonly long QuickTicks = Stopwatch.Frequency / 1000;

    private static readonly long s_slowTicks = Stopwatch.Frequency / 100;

    // What a machine that is short of processors does not make of a short sleep.
    private static readonly long s_longTicks = 10 * s_slowTicks;
    private static readonly TimeSpan s_longStall = 10 * TurnRecord.SlowTurn;

    private RuntimeLock _lock;
    private volatile PlacementState _state;
    private int _quickRuns;
    private int _neededRuns = FirstProofRuns;
    private int _stalls;
    private bool _isConfirmed;
    private long _stallId;
    private long _inlineSince;
    private long _wentAsyncAt;
    private int _stalledReactor;
    private TimeSpan _stalledFor;
    private long _demotions;
    private long? _warnedAt;

    private protected Placement(PlacementRegistry registry, PlacementState state)
    {
        Registry = registry;
        _state = state;
        _inlineSince = registry.Time.GetTimestamp();
    }

    /// <summary>What it is, as the subject of a sentence.</summary>
    internal abstract string Name { get; }

    private protected PlacementRegistry Registry { get; }

    internal PlacementState State => _state;

    internal bool IsInline => _state == PlacementState.Inline;

    internal long Demotions => Volatile.Read(ref _demotions);

    /// <summary>How long the stall lasted that it was last demoted for.</summary>
    internal TimeSpan StalledFor => _stalledFor;

    internal int QuickRuns => Volatile.Read(ref _quickRuns);

    internal int NeededRuns => Volatile.Read(ref _neededRuns);

    /// <summary>Whether code of it may run behind an await on a reactor, because it once began there.</summary>
    internal bool HasGoneAsync => Volatile.Read(ref _wentAsyncAt) != 0;

    /// <summary>As <see cref="HasGoneAsync"/>, within the last minute.</summary>
    internal bool HasGoneAsyncRecently
        => Volatile.Read(ref _wentAsyncAt) is not 0 and var at && Registry.NowMs - at < (long)CleanPeriod.TotalMilliseconds;

    /// <summary>A run on the thread pool is over.</summary>
    /// <param name="longestTicks">Its longest stretch between two awaits.</param>
    /// <param name="wasDisturbed">A stretch was quick only without what disturbed it: a wait for a processor, the collector, the compiler.</param>
    internal void RunEnded(long longestTicks, bool wasDisturbed = false)
    {
        if (longestTicks >= QuickTicks || wasDisturbed)
        {
            return;
        }

        bool isPromoted = false;
        _lock.Enter();
        if (_state is PlacementState.Proving or PlacementState.Demoted && ++_quickRuns >= _neededRuns)
        {
            isPromoted = true;
            _inlineSince = Registry.Time.GetTimestamp();
            _state = PlacementState.Inline;
        }

        _lock.Exit();
        if (isPromoted)
        {
            Registry.Promoted(this, _neededRuns);
        }
    }

    /// <summary>
    /// A stretch of a run on the thread pool took a millisecond or more. One as long as a stall shows that it caused the one that it was demoted for;
    /// where the machine is short of processors, only one ten times as long does.
    /// </summary>
    internal void SlowStretch(long ticks)
    {
        bool isConfirmed = false;
        bool isStall = ticks >= s_slowTicks;
        bool isProof = ticks >= s_longTicks
            || (isStall && _state == PlacementState.Demoted && !Volatile.Read(ref _isConfirmed) && !Registry.IsShortOfProcessors());
        long stallId = 0;
        _lock.Enter();
        if (_state is PlacementState.Proving or PlacementState.Demoted)
        {
            _quickRuns = isStall ? 0 : Math.Max(0, _quickRuns - FirstProofRuns);
            isConfirmed = isProof && _state == PlacementState.Demoted && !_isConfirmed;
            _isConfirmed |= isConfirmed;
            _neededRuns = isConfirmed ? TermAfter(Stopwatch.GetElapsedTime(0, ticks)) : _neededRuns;
            stallId = _stallId;
        }

        _lock.Exit();
        if (isConfirmed)
        {
            Report(isCertain: true);
            Registry.FoundCause(this, stallId);
        }
    }

    /// <summary>Another one caused the stall: it is as if this one had not been demoted.</summary>
    internal void Clear(long stallId)
    {
        _lock.Enter();
        bool isCleared = _state == PlacementState.Demoted && !_isConfirmed && _stallId == stallId;
        if (isCleared)
        {
            _stalls--;
            _state = PlacementState.Inline;
        }

        _lock.Exit();
        if (isCleared)
        {
            Registry.Promoted(this, _quickRuns);
        }
    }

    /// <summary>A reactor stalled. It runs on the thread pool from now on, until it has proven itself again.</summary>
    /// <param name="reactorId">Which reactor.</param>
    /// <param name="duration">For how long.</param>
    /// <param name="isCertain">
    /// Whether it was this code; else it was this or other code, and what it does on the pool shows which. Where the machine is short of processors,
    /// only a long stall is certain.
    /// </param>
    /// <param name="stallId">The same for all that one stall demotes.</param>
    internal void Stalled(int reactorId, TimeSpan duration, bool isCertain, long stallId = 0)
    {
        isCertain = isCertain && (duration >= s_longStall || !IsInline || !Registry.IsShortOfProcessors());
        _lock.Enter();
        bool isDemoted = _state == PlacementState.Inline;
        if (isDemoted)
        {
            if (Registry.Time.GetElapsedTime(_inlineSince) >= CleanPeriod)
            {
                _stalls = 0;
            }

            _stalls++;
            _quickRuns = 0;
            _neededRuns = TermAfter(isCertain ? duration : TurnRecord.SlowTurn);
            _isConfirmed = isCertain;
            _stallId = stallId;
            _stalledReactor = reactorId;
            _stalledFor = duration;
            _demotions++;
            _state = PlacementState.Demoted;
        }

        _lock.Exit();
        if (isDemoted)
        {
            Registry.CountDemotion();
            Report(isCertain);
        }
    }

    /// <summary>Runs it on the calling reactor.</summary>
    /// <param name="code">What runs.</param>
    /// <param name="context">The request.</param>
    /// <param name="reactor">The calling thread's, which knows already what it enters.</param>
    /// <param name="outer">What the reactor was in before; it is in this again when the call returns.</param>
    private protected Task RunInline(RequestDelegate code, HttpContext context, Reactor reactor, object? outer)
    {
        try
        {
            Task task = code(context);
            if (!task.IsCompleted)
            {
                NoteAsync();
                (context.Features as IPlacedRun)?.GoesOn(this);
            }

            return task;
        }
        finally
        {
            reactor.Ran.Leave(outer);
        }
    }

    private protected Task RunOnPoolAsync(RequestDelegate code, HttpContext context) => PoolRun.StartAsync(this, code, context);

    /// <summary>
    /// Inside a timed pool run of the enclosing pipeline this code gets a run of its own, or its time would count for the pipeline.
    /// </summary>
    private protected static bool IsPartOfPoolRun => SynchronizationContext.Current is PoolRun;

    /// <summary>Notes that code of it will run behind an await.</summary>
    internal void NoteAsync()
    {
        // Reactors share the field: each run reads it, and it is written once per second.
        const int NoteIntervalMs = 1000;
        long now = Registry.NowMs;
        if (now - Volatile.Read(ref _wentAsyncAt) >= NoteIntervalMs)
        {
            Volatile.Write(ref _wentAsyncAt, now);
        }
    }

    /// <summary>
    /// How many quick runs the next term has, after a stall that it caused itself: who rarely computes for seconds must not come back soon.
    /// </summary>
    private int TermAfter(TimeSpan stall)
    {
        int doublings = _stalls + BitOperations.Log2((ulong)Math.Max(1, stall.Ticks / TurnRecord.SlowTurn.Ticks));
        return (int)Math.Min((long)FirstProofRuns << Math.Min(doublings, 30), LongestProofRuns);
    }

    private void Report(bool isCertain)
    {
        bool isWarning = false;
        if (isCertain)
        {
            _lock.Enter();
            long now = Registry.Time.GetTimestamp();
            isWarning = _warnedAt is not { } warned || Registry.Time.GetElapsedTime(warned, now) >= CleanPeriod;
            _warnedAt = isWarning ? now : _warnedAt;
            _lock.Exit();
        }

        Registry.Log(this, isWarning, _stalledReactor, _stalledFor, _neededRuns);
    }
}
