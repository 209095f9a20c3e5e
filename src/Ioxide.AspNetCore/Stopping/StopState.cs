using Microsoft.Extensions.Hosting;

namespace Ioxide.AspNetCore;

/// <summary>Whether the host has begun to stop: from then on it is not ready, and its connections end with their next answer.</summary>
/// <remarks>A signal fires ApplicationStopping first and a call of StopAsync tells the hosted services first. Threads: any.</remarks>
internal sealed class StopState
{
    private volatile bool _hasBegun;

    public StopState(IHostApplicationLifetime? lifetime = null)
        => lifetime?.ApplicationStopping.UnsafeRegister(static state => ((StopState)state!).Begin(), this);

    internal bool HasBegun => _hasBegun;

    internal void Begin() => _hasBegun = true;
}
