namespace Ioxide.AspNetCore;

/// <summary>One run of application code on the thread pool: brings it back there after each await, and times each stretch between two.</summary>
/// <remarks>Threads: any. Waits in the pool's queue and for a processor, collections and compilation do not count.</remarks>
internal sealed class PoolRun : SynchronizationContext
{
    private readonly Placement _placement;
    private readonly RequestDelegate _code;
    private readonly HttpContext _context;
    private readonly IoxideConnectionContext? _connection;
    private readonly bool _wasHandledOnPool;
    private readonly TaskCompletionSource _ended = new();
    private Task _running = Task.CompletedTask;
    private long _longestTicks;
    private bool _wasDisturbed;

    private PoolRun(Placement placement, RequestDelegate code, HttpContext context)
    {
        _placement = placement;
        _code = code;
        _context = context;
        _connection = context.Features.Get<IReactorFeature>() as IoxideConnectionContext;
        _wasHandledOnPool = _connection?.ExchangeHandledOnPool(true) ?? false;
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
        => ThreadPool.QueueUserWorkItem(
            static work => work.Run.Continue(work.Callback, work.State), (Run: this, Callback: d, State: state), preferLocal: false);

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
            _ended.SetException(exception);
            return;
        }

        _ended.SetFromTask(_running);
    }

    private void Continue(SendOrPostCallback callback, object? state)
    {
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
}
