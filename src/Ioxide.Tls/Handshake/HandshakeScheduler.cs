using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Tls;

/// <summary>Spreads the handshakes of one reactor over its turns, so that its other connections are served in between.</summary>
/// <remarks>
/// A step runs at once while the turn has time left and no other step waits; otherwise it waits for a later turn, first come, first served. Steps
/// that end a handshake go before those that begin one: they set free what OpenSSL holds. Private keys whose one operation is longer than a
/// turn's time are used on the thread pool, one at a time for each reactor, so that they leave its threads to others.
/// Threads: the reactor's, except for <see cref="RunOnPoolAsync"/>.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing to dispose of.")]
internal sealed class HandshakeScheduler
{
    // What one turn spends on steps before the others wait: with the last step, which may begin just before, about twice as much.
    private static readonly long s_turnTicks = Stopwatch.Frequency / 1000;

    // Each one throws through the handshake's awaits and closes its connection: some 60 us.
    private const int EndsPerTurn = 16;

    private static readonly ConditionalWeakTable<Reactor, HandshakeScheduler> s_turns = [];

    private readonly Reactor _reactor;
    private readonly Queue<ReactorAwaitable<bool>> _ending = new();
    private readonly Queue<ReactorAwaitable<bool>> _beginning = new();
    private readonly Queue<HandshakeDeadline> _overdue = new();

    // Handshakes are the application's to drive: none runs on the stack of a blocked handler, so a wait for its lock may turn the ring.
    private readonly SemaphoreSlim _longSteps = new(1);
    private long _turn;
    private long _spentTicks;
    private bool _isPosted;

    private HandshakeScheduler(Reactor reactor) => _reactor = reactor;

    internal static HandshakeScheduler Of(Reactor reactor) => s_turns.GetValue(reactor, static reactor => new HandshakeScheduler(reactor));

    /// <summary>Runs one step of a server's handshake where it belongs. Its output waits in the session.</summary>
    /// <exception cref="OperationCanceledException">The time was over before its turn came.</exception>
    /// <exception cref="TlsException">The handshake failed.</exception>
    internal async ValueTask<TlsOperationStatus> RunAsync(
        TlsBufferSession session,
        HandshakeSettings settings,
        HandshakeThread place,
        ReadOnlyMemory<byte> records,
        CancellationToken cancellationToken)
    {
        place.BeginWaitForTurn();
        if (settings.StepsOnPool || (session.AwaitsHello && settings.HasLongKey))
        {
            SemaphoreSlim limit = settings.StepsOnPool ? place.BlockingSteps : _longSteps;
            return await RunOnPoolAsync(session, place, records, limit, cancellationToken).ConfigureAwait(true);
        }

        // Off the reactor it delays no other connection.
        if (_reactor.IsCurrent && !HasTimeNow())
        {
            await WaitForTurnAsync(session.AwaitsHello ? _beginning : _ending).ConfigureAwait(true);
            cancellationToken.ThrowIfCancellationRequested();
        }

        place.BeginStep();
        long started = Stopwatch.GetTimestamp();
        try
        {
            return session.Handshake(records.Span, default, out _);
        }
        finally
        {
            if (_reactor.IsCurrent)
            {
                BeginTurn();
                _spentTicks += Stopwatch.GetTimestamp() - started;
            }
        }
    }

    /// <summary>Ends a handshake whose time is over. Thousands may be at once, so they are spread over turns as well. Threads: any.</summary>
    internal void End(HandshakeDeadline deadline)
    {
        if (!_reactor.TryEnqueue(WorkItem.Of(this, deadline, static (turns, deadline) => turns.QueueEnd(deadline))))
        {
            // The reactor has ended, and all of its connections with it.
            deadline.Cancel();
        }
    }

    private void QueueEnd(HandshakeDeadline deadline)
    {
        _overdue.Enqueue(deadline);
        PostResume();
    }

    private static async ValueTask<TlsOperationStatus> RunOnPoolAsync(
        TlsBufferSession session, HandshakeThread place, ReadOnlyMemory<byte> records, SemaphoreSlim limit, CancellationToken cancellationToken)
    {
        await limit.WaitAsync(cancellationToken).ConfigureAwait(true);
        place.BeginStep();

        // The next one need not wait until this one is back on its reactor.
        return await Task.Run(
            () =>
            {
                try
                {
                    return session.Handshake(records.Span, default, out _);
                }
                finally
                {
                    limit.Release();
                }
            },
            CancellationToken.None).ConfigureAwait(true);
    }

    private bool HasTimeNow()
    {
        BeginTurn();
        return _ending.Count + _beginning.Count == 0 && _spentTicks < s_turnTicks;
    }

    private void BeginTurn()
    {
        if (_turn != _reactor.Turns)
        {
            _turn = _reactor.Turns;
            _spentTicks = 0;
        }
    }

    private ValueTask WaitForTurnAsync(Queue<ReactorAwaitable<bool>> queue)
    {
        var waiter = new ReactorAwaitable<bool>();
        queue.Enqueue(waiter);
        PostResume();
        return waiter.TaskWithoutResult;
    }

    private void PostResume()
    {
        if (!_isPosted)
        {
            _isPosted = true;
            _reactor.EnqueueOrPool(this, static turns => turns.ResumeWaiting());
        }
    }

    /// <summary>A new turn: who waits is resumed, in order, until the turn's time is spent.</summary>
    /// <remarks>While a handler blocks the reactor, and when it has ended, all of them are resumed: they continue on the thread pool.</remarks>
    private void ResumeWaiting()
    {
        _isPosted = false;
        BeginTurn();
        while (_spentTicks < s_turnTicks && (_ending.TryDequeue(out ReactorAwaitable<bool>? waiter) || _beginning.TryDequeue(out waiter)))
        {
            waiter.SetResult(_reactor, true);
        }

        for (int count = 0; count < EndsPerTurn && _overdue.TryDequeue(out HandshakeDeadline? deadline); count++)
        {
            deadline.Cancel();
        }

        if (_ending.Count + _beginning.Count + _overdue.Count > 0)
        {
            PostResume();
        }
    }
}
