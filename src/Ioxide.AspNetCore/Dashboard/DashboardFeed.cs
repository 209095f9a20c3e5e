namespace Ioxide.AspNetCore;

/// <summary>Reads all figures once per second for all who watch: the first one starts it, and the last one to leave ends it.</summary>
/// <remarks>Threads: any. It reads on the thread pool, so that pages on other reactors still show a stalled one.</remarks>
internal sealed class DashboardFeed(ReactorFleet? fleet, IMeterFactory? meterFactory, ILogger logger)
{
    /// <summary>Watchers at a time. Each costs some kilobytes per second.</summary>
    internal const int MaxWatchers = 16;

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private TaskCompletionSource<byte[]> _next = NewSource();
    private byte[]? _latest;
    private int _watcherCount;

    // Rises when the last watcher leaves: what reads for an earlier one ends with its next second.
    private int _period;

    /// <summary>Takes a place; false where all are taken. Give it back by <see cref="Leave"/>.</summary>
    internal bool TryWatch()
    {
        lock (_lock)
        {
            if (_watcherCount == MaxWatchers)
            {
                return false;
            }

            if (_watcherCount++ == 0)
            {
                _next = NewSource();
                _latest = null;

                // It outlives the request that starts it, whose surroundings are none of its own.
                using AsyncFlowControl flow = ExecutionContext.SuppressFlow();
                int period = _period;
                _ = Task.Run(() => RunAsync(period));
            }

            return true;
        }
    }

    internal void Leave()
    {
        lock (_lock)
        {
            if (--_watcherCount == 0)
            {
                _period++;
            }
        }
    }

    /// <summary>The last event as bytes to send, or the first: a new page sees it at once.</summary>
    internal Task<byte[]> FirstAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _latest is { } latest ? Task.FromResult(latest) : _next.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>The next event.</summary>
    internal Task<byte[]> NextAsync(CancellationToken cancellationToken) => Volatile.Read(ref _next).Task.WaitAsync(cancellationToken);

    private static TaskCompletionSource<byte[]> NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task RunAsync(int period)
    {
        using var meters = new MeterWatch(meterFactory);
        using var timer = new PeriodicTimer(s_interval);
        var sample = new DashboardSample(fleet, meters);
        try
        {
            do
            {
                Publish(sample, period);
            }
            while (await timer.WaitForNextTickAsync().ConfigureAwait(false) && Volatile.Read(ref _period) == period);
        }
        catch (Exception exception)
        {
            // Each watcher's request fails with it, and the last one that leaves makes room for a new start.
            lock (_lock)
            {
                if (_period == period)
                {
                    _next.SetException(exception);
                }
            }
        }
    }

    private void Publish(DashboardSample sample, int period)
    {
        byte[] message;
        try
        {
            message = sample.Read();
        }
        catch (AggregateException exception)
        {
            // An instrument of the application's process threw when it was read; the next sample is taken in one second.
            TransportLog.DashboardSkipped(logger, exception);
            return;
        }

        lock (_lock)
        {
            // Others may watch already, with figures of their own.
            if (_period == period)
            {
                // A reader that is resumed continues at once: it waits for the event behind this one.
                TaskCompletionSource<byte[]> told = _next;
                Volatile.Write(ref _next, NewSource());
                _latest = message;
                told.SetResult(message);
            }
        }
    }
}
