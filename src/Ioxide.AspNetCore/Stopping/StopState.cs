namespace Ioxide.AspNetCore;

/// <summary>Whether the host has begun to stop, so that it is not ready any more, and whether it drains.</summary>
/// <remarks>After a signal ApplicationStopping fires first; after a call of StopAsync the hosted services are called first. Threads: any.</remarks>
internal sealed class StopState
{
    private volatile bool _hasBegun;
    private volatile bool _isDraining;

    public StopState(IHostApplicationLifetime? lifetime = null)
        => lifetime?.ApplicationStopping.UnsafeRegister(static state => ((StopState)state!).Begin(), this);

    internal bool HasBegun => _hasBegun;

    /// <summary>
    /// Whether the server still serves while it stops, so that each connection ends after its next response. Without a delay connections must
    /// not end that way: their clients would come back to a listener that is about to close, and an unread request is lost with it.
    /// </summary>
    internal bool IsDraining => _isDraining;

    internal void Begin() => _hasBegun = true;

    internal void Drain() => _isDraining = true;
}
