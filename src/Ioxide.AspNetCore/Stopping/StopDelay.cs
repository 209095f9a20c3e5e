namespace Ioxide.AspNetCore;

/// <summary>Holds a stop up before anything of the host stops, so that balancers take it out while it still serves.</summary>
/// <remarks>After a signal ApplicationStopping fires first; after a call of StopAsync the hosted services are called first. Threads: any.</remarks>
internal sealed class StopDelay : IHostedLifecycleService
{
    private readonly IOptions<IoxideTransportOptions> _options;
    private readonly ILoggerFactory _loggerFactory;
    private volatile bool _hasBegun;
    private volatile bool _isDraining;

    public StopDelay(IOptions<IoxideTransportOptions> options, ILoggerFactory loggerFactory, IHostApplicationLifetime? lifetime = null)
    {
        _options = options;
        _loggerFactory = loggerFactory;
        lifetime?.ApplicationStopping.UnsafeRegister(static stop => ((StopDelay)stop!)._hasBegun = true, this);
    }

    /// <summary>The host has begun to stop, so it is not ready any more.</summary>
    internal bool HasBegun => _hasBegun;

    /// <summary>
    /// Whether the server still serves while it stops, so that each connection ends after its next response. Without a delay connections must
    /// not end that way: their clients would come back to a listener that is about to close, and an unread request is lost with it.
    /// </summary>
    internal bool IsDraining => _isDraining;

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        _hasBegun = true;
        TimeSpan delay = _options.Value.StopDelay;
        if (delay == TimeSpan.Zero)
        {
            return;
        }

        _isDraining = true;
        TransportLog.StopDelayed(_loggerFactory.CreateLogger("Ioxide.AspNetCore"), delay.TotalSeconds);
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
