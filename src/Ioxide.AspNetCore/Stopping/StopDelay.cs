namespace Ioxide.AspNetCore;

/// <summary>Holds a stop up before anything of the host stops, so that balancers take it out while it still serves.</summary>
internal sealed class StopDelay(StopState state, IOptions<IoxideTransportOptions> options, ILoggerFactory loggerFactory)
    : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        state.Begin();
        TimeSpan delay = options.Value.StopDelay;
        if (delay == TimeSpan.Zero)
        {
            return;
        }

        state.Drain();
        TransportLog.StopDelayed(loggerFactory.CreateLogger("Ioxide.AspNetCore"), delay.TotalSeconds);
        try
        {
            await Task.Delay(delay, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The stop has run out of time and continues at once.
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}

/// <summary>The time that a host has to stop counts from the end of the delay.</summary>
internal sealed class StopDelayTimeout(IOptions<IoxideTransportOptions> options) : IPostConfigureOptions<HostOptions>
{
    public void PostConfigure(string? name, HostOptions host)
    {
        if (host.ShutdownTimeout == Timeout.InfiniteTimeSpan)
        {
            return;
        }

        try
        {
            host.ShutdownTimeout += options.Value.StopDelay;
        }
        catch (OptionsValidationException)
        {
            // The host reports them when it starts, together with those of others.
        }
    }
}
