namespace Ioxide.AspNetCore;

/// <summary>One period of watching: reads all figures once per second, for all watchers together.</summary>
/// <remarks>It runs on the thread pool, so that pages on other reactors still show a stalled one.</remarks>
internal sealed class DashboardSampling(ReactorFleet? fleet, IMeterFactory? meterFactory, ILogger logger) : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly CancellationTokenSource _stopped = new();
    private readonly ReactorFleet? _fleet = fleet;
    private readonly IMeterFactory? _meterFactory = meterFactory;
    private readonly ILogger _logger = logger;
    private TaskCompletionSource<byte[]> _next = NewSource();
    private byte[]? _latest;

    /// <summary>The last event, or null before the first.</summary>
    internal byte[]? Latest => Volatile.Read(ref _latest);

    internal static DashboardSampling Start(ReactorFleet? fleet, IMeterFactory? meterFactory, ILogger logger)
    {
        var sampling = new DashboardSampling(fleet, meterFactory, logger);

        // It outlives the request that starts it, whose surroundings are none of its own.
        using AsyncFlowControl flow = ExecutionContext.SuppressFlow();
        _ = Task.Run(sampling.RunAsync);
        return sampling;
    }

    /// <summary>Ends it. Watchers that are still there wait in vain, so there must be none.</summary>
    public void Dispose() => _stopped.Cancel();

    /// <summary>The next event, as bytes to send.</summary>
    internal Task<byte[]> NextAsync(CancellationToken cancellationToken) => Volatile.Read(ref _next).Task.WaitAsync(cancellationToken);

    private static TaskCompletionSource<byte[]> NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task RunAsync()
    {
        using var meters = new MeterWatch(_meterFactory);
        using var timer = new PeriodicTimer(s_interval);
        var sample = new DashboardSample(_fleet, meters);
        try
        {
            do
            {
                Publish(sample);
            }
            while (await timer.WaitForNextTickAsync(_stopped.Token).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (_stopped.IsCancellationRequested)
        {
            // The last watcher has left.
        }
        catch (Exception exception)
        {
            // Each watcher's request fails with it, and the last one that leaves makes room for a new start.
            _next.SetException(exception);
        }
    }

    private void Publish(DashboardSample sample)
    {
        byte[] message;
        try
        {
            message = sample.Read();
        }
        catch (AggregateException exception)
        {
            // An instrument of the application's process threw when it was read; the next sample is taken in one second.
            TransportLog.DashboardSkipped(_logger, exception);
            return;
        }

        TaskCompletionSource<byte[]> due = _next;
        Volatile.Write(ref _latest, message);
        Volatile.Write(ref _next, NewSource());
        due.SetResult(message);
    }
}
