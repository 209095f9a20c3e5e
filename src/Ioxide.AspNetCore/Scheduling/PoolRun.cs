namespace Ioxide.AspNetCore;

/// <summary>One run of application code on the thread pool: brings it back there after each await, and times each stretch between two.</summary>
/// <remarks>
/// <para>Some runs hardly end: WebSockets, events, streams. <see cref="Placement.FirstProofRuns"/> stretches of one run count as a run, and once
/// their code is proven, what follows the next await runs on the connection's reactor. A stall there brings it back.</para>
/// <para>Threads: any. Waits in the pool's queue and for a processor, collections and compilation do not count.</para>
/// </remarks>
internal sealed class PoolRun : SynchronizationContext
{
    private readonly Placement _placement;
    private readonly RequestDelegate _code;
    private readonly HttpContext _context;
    private readonly IoxideConnectionContext? _connection;
    private readonly bool _wasHandledOnPool;

    // Where it continues once its code is proven. None inside another run, which is why that one is on the pool.
    private readonly Reactor? _reactor;
    private readonly TaskCompletionSource _ended = new();
    private Task _running = Task.CompletedTask;
    private long _longestTicks;
    private bool _wasDisturbed;
    private int _stretches;
    private Exception? _notTold;

    private PoolRun(Placement placement, RequestDelegate code, HttpContext context)
    {
        // On the reactor, a wait has to keep the ring turning.
        SetWaitNotificationRequired();
        _placement = placement;
        _code = code;
        _context = context;
        _connection = context.Features.Get<IReactorFeature>() as IoxideConnectionContext;
        _wasHandledOnPool = _connection?.ExchangeHandledOnPool(true) ?? false;
        _reactor = Current is PoolRun ? null : _connection?.Reactor;
    }

    /// <summary>Runs the code on the thread pool, with the caller's execution context.</summary>
    /// <returns>Completes with the code: with its exception, its cancellation, or its success.</returns>
    /// <remarks>No asynchronous method: the first one of a kind costs a process that starts a dozen methods to compile.</remarks>
    internal static Task StartAsync(Placement placement, RequestDelegate code, HttpContext context)
    {
        var run = new PoolRun(placement, code, context);
        ThreadPool.QueueUserWorkItem(static run => run.Begin(), run, preferLocal: false);
        return run._ended.Task;
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        if (_placement.IsInline && _reactor is { } reactor)
        {
            _placement.NoteAsync();
            FlowingPost.Wrap(ref d, ref state);
            var context = (ReactorSynchronizationContext)reactor.SynchronizationContext;
            context.PostAsIs(d.Target is Action<object?> ? Piece.Resume : Piece.Run, new Piece(this, d, state));
        }
        else
        {
            ThreadPool.QueueUserWorkItem(
                static work => work.Run.Continue(work.Callback, work.State), (Run: this, Callback: d, State: state), preferLocal: false);
        }
    }

    /// <inheritdoc/>
    public override int Wait(nint[] waitHandles, bool waitAll, int millisecondsTimeout)
        => Reactor.Current is { } reactor
            ? reactor.SynchronizationContext.Wait(waitHandles, waitAll, millisecondsTimeout)
            : WaitHelper(waitHandles, waitAll, millisecondsTimeout);

    public override SynchronizationContext CreateCopy() => this;

    private void Begin()
    {
        bool isOver;
        try
        {
            _running = RunFirstStretch();
            isOver = _running.IsCompleted;
        }
        catch (Exception exception)
        {
            _running = Task.FromException(exception);
            isOver = true;
        }

        if (isOver)
        {
            End();
        }
        else
        {
            SetSynchronizationContext(null);
            _running.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(End);
        }
    }

    private Task RunFirstStretch()
    {
        SetSynchronizationContext(this);
        Stretch stretch = Stretch.Begin();
        try
        {
            return _code(_context);
        }
        finally
        {
            EndStretch(stretch);
        }
    }

    private void End()
    {
        SetSynchronizationContext(null);
        _connection?.ExchangeHandledOnPool(_wasHandledOnPool);
        try
        {
            _placement.RunEnded(_longestTicks, _wasDisturbed);
        }
        catch (Exception exception)
        {
            // The application's log, to which a promotion is told.
            _notTold = exception;
        }

        if (Volatile.Read(ref _notTold) is { } notTold)
        {
            _ended.SetException(notTold);
            return;
        }

        _ended.SetFromTask(_running);
    }

    private void Continue(SendOrPostCallback callback, object? state)
    {
        if (Reactor.Current is { } reactor)
        {
            ContinueOnReactor(reactor, callback, state);
            return;
        }

        SetSynchronizationContext(this);
        Stretch stretch = Stretch.Begin();
        try
        {
            callback(state);
        }
        finally
        {
            EndStretch(stretch);
            SetSynchronizationContext(null);
        }

        if (Interlocked.Increment(ref _stretches) % Placement.FirstProofRuns == 0)
        {
            EndPart();
        }
    }

    private void ContinueOnReactor(Reactor reactor, SendOrPostCallback callback, object? state)
    {
        SetSynchronizationContext(this);
        object? outer = reactor.Ran.Enter(_placement);
        try
        {
            callback(state);
        }
        finally
        {
            reactor.Ran.Leave(outer);
            SetSynchronizationContext(reactor.SynchronizationContext);
        }
    }

    /// <summary>So many stretches are over that they count as a run.</summary>
    private void EndPart()
    {
        try
        {
            _placement.RunEnded(Interlocked.Exchange(ref _longestTicks, 0), Interlocked.Exchange(ref _wasDisturbed, false));
        }
        catch (Exception exception)
        {
            // The run tells of it when it ends.
            Volatile.Write(ref _notTold, exception);
        }
    }

    private void EndStretch(in Stretch stretch)
    {
        (long lasted, long ticks) = stretch.End();
        if (lasted >= Placement.QuickTicks && ticks < Placement.QuickTicks)
        {
            Volatile.Write(ref _wasDisturbed, true);
        }

        if (ticks > Volatile.Read(ref _longestTicks))
        {
            Volatile.Write(ref _longestTicks, ticks);
        }

        if (ticks >= Placement.QuickTicks)
        {
            _placement.SlowStretch(ticks);
        }
    }

    /// <summary>What follows an await, on its way to the reactor.</summary>
    private sealed class Piece(PoolRun run, SendOrPostCallback callback, object? state)
    {
        internal static readonly SendOrPostCallback Run = static piece => ((Piece)piece!).Continue();

        /// <summary>Tells the reactor's context that it is such a resumption as came, by the same form.</summary>
        internal static readonly SendOrPostCallback Resume = new Action<object?>(Run.Invoke).Invoke;

        private void Continue() => run.Continue(callback, state);
    }
}
