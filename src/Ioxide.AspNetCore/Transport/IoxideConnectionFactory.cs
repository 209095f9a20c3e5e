namespace Ioxide.AspNetCore;

/// <summary>Opens outbound connections on the reactors.</summary>
internal sealed class IoxideConnectionFactory(ReactorFleet fleet) : IConnectionFactory
{
    public async ValueTask<ConnectionContext> ConnectAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!OperatingSystem.IsLinux() || fleet.GetOrStart() is not { } group)
        {
            string reason = fleet.GetIfStarted().Refusal?.Message ?? Refusal.OfPlatform().Remedy;
            throw new NotSupportedException($"Cannot connect to {endpoint} on a reactor: {reason}");
        }

        RingConnection connection = await group.ConnectAsync(
            endpoint, fleet.Options.ToConnectionOptions(), cancellationToken).ConfigureAwait(false);
        return new IoxideConnectionContext(connection, fleet.MemoryPool);
    }
}
