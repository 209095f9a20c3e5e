namespace Ioxide.AspNetCore;

/// <summary>Opens outbound connections on the reactors.</summary>
internal sealed class IoxideConnectionFactory(ReactorFleet fleet) : IConnectionFactory
{
    public async ValueTask<ConnectionContext> ConnectAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!OperatingSystem.IsLinux() || fleet.GetOrStart() is not { } group)
        {
            throw new NotSupportedException("Reactors are not available here; the log says why.");
        }

        RingConnection connection = await group.ConnectAsync(
            endpoint, fleet.Options.ToConnectionOptions(), cancellationToken).ConfigureAwait(false);
        return new IoxideConnectionContext(connection, fleet.MemoryPool);
    }
}
