using System.Diagnostics;
using Ioxide.AspNetCore;

namespace Ioxide.Http2;

/// <summary>What a run does on the reactor behind its awaits of the body: it counts for the code that the run began with, and is limited.</summary>
/// <remarks>Threads: the reactor's, unless a member says otherwise.</remarks>
internal sealed class PlacedRun(Http2Stream stream)
{
    // Where the run began on the reactor and has not returned.
    private Placement? _code;
    private long _usedTicks;

    /// <summary>Its pieces have used so much that the next one goes to the thread pool, and the run with it. Threads: any.</summary>
    /// <remarks>One long run, such as a large message that is parsed, then delays no other stream, and its endpoint keeps the reactor.</remarks>
    internal bool HasUsedItsTime => Volatile.Read(ref _usedTicks) >= Placement.QuickTicks;

    internal void Begin()
    {
        _code = null;
        _usedTicks = 0;
    }

    /// <inheritdoc cref="IPlacedRun.GoesOn"/>
    internal void GoesOn(Placement code) => _code ??= code;

    /// <summary>Runs a piece behind an await. Threads: the reactor's, or the pool's, where it counts for nothing.</summary>
    internal void Continue<TState>(Action<TState, Exception?> piece, TState state, Exception? error)
    {
        if (_code is not { } code || Reactor.Current is not { } reactor)
        {
            piece(state, error);
            return;
        }

        int streamId = stream.StreamId;
        object? outer = reactor.Ran.Enter(code);
        long began = Stopwatch.GetTimestamp();
        piece(state, error);
        reactor.Ran.Leave(outer);

        // With its end it may serve the next request.
        if (stream.StreamId == streamId)
        {
            _usedTicks += Stopwatch.GetTimestamp() - began;
        }
    }
}
