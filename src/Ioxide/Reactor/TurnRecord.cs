namespace Ioxide;

/// <summary>Which application code ran in the current turn of a reactor.</summary>
/// <remarks>
/// Running code notes itself with a few plain writes and reads no clock. The loop knows how long each turn took, so only a slow turn
/// examines the notes. Threads: the reactor's, where nothing else is said.
/// </remarks>
internal sealed class TurnRecord(Reactor reactor, ISlowTurnListener? listener)
{
    /// <summary>Limit of code pieces noted per turn; later ones are not.</summary>
    internal const int MaxPieces = 32;

    /// <summary>A turn of at least this duration is examined; each further request in it is given 100 microseconds.</summary>
    internal static readonly TimeSpan SlowTurn = TimeSpan.FromMilliseconds(10);

    private static readonly long s_slowTurnTicks = Stopwatch.Frequency / 100;

    // Thousands of quick requests may share a turn of a busy reactor: each of them may take this long.
    private static readonly TimeSpan s_quickRequest = TimeSpan.FromMicroseconds(100);

    private readonly RanInTurn[] _ran = new RanInTurn[MaxPieces];
    private int _ranCount;
    private object? _pipeline;
    private int _requestCount;

    // The code whose synchronous part runs now, or null.
    private object? _running;

    /// <summary>The code whose synchronous part runs now, or null. Threads: any.</summary>
    internal object? Running => Volatile.Read(ref _running);

    /// <summary>As <see cref="Running"/>, without the code around each request. Threads: any.</summary>
    internal object? RunningPiece => Running is { } running && !ReferenceEquals(running, Volatile.Read(ref _pipeline)) ? running : null;

    /// <summary>The code begins to run. Pass the result to <see cref="Leave"/> when its synchronous part is over.</summary>
    internal object? Enter(object code)
    {
        Debug.Assert(reactor.IsCurrent);
        int count = _ranCount;
        if ((uint)count < (uint)_ran.Length)
        {
            _ran[count] = new RanInTurn(code);
            _ranCount = count + 1;
        }

        object? outer = _running;
        _running = code;
        return outer;
    }

    /// <summary>As <see cref="Enter"/>, for the code around each request, which counts only where nothing inside it ran.</summary>
    internal object? EnterPipeline(object code)
    {
        Debug.Assert(reactor.IsCurrent);
        _pipeline = code;
        _requestCount++;
        object? outer = _running;
        _running = code;
        return outer;
    }

    internal void Leave(object? outer) => _running = outer;

    /// <summary>Application code blocked this reactor in a wait that the runtime saw.</summary>
    internal void ReportBlocked(TimeSpan duration) => ReportHeld(duration, _running);

    /// <summary>The code holds the reactor up and may never return, so that no turn's end tells of it. Threads: any.</summary>
    internal void ReportHeld(TimeSpan duration, object? running) => listener?.Blocked(reactor, duration, running);

    /// <summary>The turn is over, except for its wait.</summary>
    internal void EndTurn(TurnClock clock, long ticks)
    {
        if (ticks >= s_slowTurnTicks && listener is not null)
        {
            TimeSpan duration = clock.Held(Stopwatch.GetElapsedTime(0, ticks), clock.Sample);

            // The first request is the one that a turn is for.
            if (duration - (s_quickRequest * Math.Max(0, _requestCount - 1)) >= SlowTurn)
            {
                listener.TurnWasSlow(reactor, duration, Ran(), _pipeline);
            }
        }

        _ranCount = 0;
        _pipeline = null;
        _requestCount = 0;
    }

    private object[] Ran()
    {
        object[] ran = new object[_ranCount];
        for (int i = 0; i < ran.Length; i++)
        {
            ran[i] = _ran[i].Code;
        }

        return ran;
    }

    /// <summary>One piece of application code that ran in a turn. A struct, so that noting it checks no element type.</summary>
    private readonly record struct RanInTurn(object Code);
}
