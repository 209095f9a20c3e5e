using System.Diagnostics;

namespace Ioxide;

/// <summary>Records which application code ran in a slow turn.</summary>
/// <remarks>
/// Running code notes itself with a few plain writes and reads no clock. The loop knows how long each turn took, so only a slow turn
/// examines the notes.
/// </remarks>
public sealed partial class Reactor
{
    /// <summary>Limit of code pieces recorded per turn; later ones are not recorded.</summary>
    internal const int MaxSuspects = 32;

    /// <summary>A turn of at least this duration is judged; each further request in it is given 100 microseconds.</summary>
    internal static readonly TimeSpan SlowTurn = TimeSpan.FromMilliseconds(10);

    private static readonly long s_slowTurnTicks = Stopwatch.Frequency / 100;

    // Thousands of quick requests may share a turn of a busy reactor: each of them may take this long.
    private static readonly long s_quickRequestTicks = Stopwatch.Frequency / 10_000;

    private readonly IStallJudge? _judge;
    private readonly Suspect[] _suspects = new Suspect[MaxSuspects];
    private int _suspectCount;
    private object? _requestSuspect;
    private int _requestCount;

    // The suspect whose synchronous part runs now, or null.
    private object? _running;
    private StallExcuses? _excuses;

    /// <summary>The code begins to run. Pass the result to <see cref="Leave"/> when its synchronous part is over.</summary>
    internal object? Enter(object code)
    {
        Debug.Assert(IsCurrent);
        int count = _suspectCount;
        if ((uint)count < (uint)_suspects.Length)
        {
            _suspects[count] = new Suspect(code);
            _suspectCount = count + 1;
        }

        object? outer = _running;
        _running = code;
        return outer;
    }

    /// <summary>As <see cref="Enter"/>, for code that is suspected only if nothing inside it ran.</summary>
    internal object? EnterRequest(object code)
    {
        Debug.Assert(IsCurrent);
        _requestSuspect = code;
        _requestCount++;
        object? outer = _running;
        _running = code;
        return outer;
    }

    internal void Leave(object? outer) => _running = outer;

    /// <summary>Application code blocked this reactor in a wait that the runtime saw. Threads: the reactor's.</summary>
    /// <param name="duration">How long it blocked.</param>
    internal void ReportStall(TimeSpan duration) => _judge?.Blocked(this, duration, _running);

    /// <summary>The turn is over, except for its wait. Times are ticks of the clock.</summary>
    private void EndTurn(long ticks)
    {
        if (ticks >= s_slowTurnTicks && _judge is not null)
        {
            JudgeTurn(ticks);
        }

        _suspectCount = 0;
        _requestSuspect = null;
        _requestCount = 0;
    }

    private void JudgeTurn(long ticks)
    {
        TimeSpan duration = Stopwatch.GetElapsedTime(0, ticks) - (_excuses?.SinceSample() ?? TimeSpan.Zero);

        // The first request is the one that a turn is for.
        if (duration - Stopwatch.GetElapsedTime(0, s_quickRequestTicks * Math.Max(0, _requestCount - 1)) >= SlowTurn)
        {
            _judge!.TurnStalled(this, duration, _suspects.AsSpan(0, _suspectCount), _requestSuspect);
        }
    }
}
