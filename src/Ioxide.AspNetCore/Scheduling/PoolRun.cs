namespace Ioxide.AspNetCore;

/// <summary>One run of application code on the thread pool: brings it back there after each await, and times each stretch between two.</summary>
/// <remarks>Threads: any. Waits in the pool's queue and for a processor, collections and compilation do not count.</remarks>
internal sealed class PoolRun(Placement placement) : SynchronizationContext
{
    private long _longestTicks;
    private bool _wasDisturbed;

    /// <summary>Runs the code on the thread pool, with the caller's execution context.</summary>
    /// <returns>Completes with the code: with its exception, its cancellation, or its success.</returns>
    internal static async Task StartAsync(Placement placement, RequestDelegate code, HttpContext context)
    {
        var connection = context.Features.Get<IReactorFeature>() as IoxideConnectionContext;
        bool wasHandledOnPool = connection?.ExchangeHandledOnPool(true) ?? false;
        var run = new PoolRun(placement);
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            await run.Begin(code, context).ConfigureAwait(false);
        }
        finally
        {
            SetSynchronizationContext(null);
            connection?.ExchangeHandledOnPool(wasHandledOnPool);
            placement.RunEnded(run._longestTicks, run._wasDisturbed);
        }
    }

    public override void Post(SendOrPostCallback d, object? state)
        => ThreadPool.QueueUserWorkItem(
            static work => work.Run.Continue(work.Callback, work.State), (Run: this, Callback: d, State: state), preferLocal: false);

    public override SynchronizationContext CreateCopy() => this;

    private Task Begin(RequestDelegate code, HttpContext context)
    {
        SetSynchronizationContext(this);
        Stretch stretch = Stretch.Begin();
        try
        {
            return code(context);
        }
        finally
        {
            EndStretch(stretch);
        }
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
            placement.SlowStretch(ticks);
        }
    }
}
