using System.Runtime.Versioning;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Ioxide.AspNetCore;

/// <summary>Binds Kestrel's endpoints to the reactors. Where it cannot, Kestrel asks the sockets transport next.</summary>
internal sealed class IoxideTransportFactory(ReactorFleet fleet, IOptions<SocketTransportOptions> sockets)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector, IRingListenerFactory
{
    private int _isBound;

    public bool CanBind(EndPoint endpoint)
        => OperatingSystem.IsLinux()
            && endpoint is IPEndPoint or UnixDomainSocketEndPoint or FileHandleEndPoint
            && fleet.GetForEndPoints() is not null;

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!OperatingSystem.IsLinux() || fleet.GetForEndPoints() is not { } group)
        {
            throw new NotSupportedException("Reactors do not serve endpoints here; the log says why.");
        }

        return new ValueTask<IConnectionListener>(BindAsync(group, endpoint, cancellationToken));
    }

    [SupportedOSPlatform("linux")]
    private async Task<IConnectionListener> BindAsync(ReactorGroup group, EndPoint endPoint, CancellationToken cancellationToken)
    {
        var queue = new AcceptQueue();
        void OnAccepted(RingConnection connection)
        {
            var context = new IoxideConnectionContext(connection, fleet.MemoryPool);
            if (fleet.Logger.IsEnabled(LogLevel.Debug))
            {
                context.LogEnd(fleet.Logger);
            }

            queue.Enqueue(context);
        }

        try
        {
            RingListenOptions options = fleet.Options.ToListenOptions();
            if (fleet.IsChecked)
            {
                return new CheckedListener(endPoint is FileHandleEndPoint handedIn
                    ? HeldAddress.OfHandedIn(group.Kernel, Descriptor(handedIn))
                    : await HeldAddress.BindAsync(group.Kernel, endPoint, options, cancellationToken).ConfigureAwait(false));
            }

            Task<RingListener> start = endPoint is FileHandleEndPoint handle
                ? RingListener.AdoptAsync(group, Descriptor(handle), OnAccepted, options)
                : RingListener.BindAsync(group, endPoint, OnAccepted, options, cancellationToken);
            var listener = new IoxideConnectionListener(await start.ConfigureAwait(false), queue);
            fleet.NoteBound();
            WarnOnce();
            return listener;
        }
        catch (SocketException exception)
        {
            throw BindErrors.Describe(endPoint, exception);
        }
    }

    private void WarnOnce()
    {
        if (Interlocked.Exchange(ref _isBound, 1) == 0)
        {
            foreach ((string option, string remedy) in LostSocketOptions.Find(sockets.Value, fleet.Options))
            {
                TransportLog.SocketOptionLost(fleet.Logger, option, remedy);
            }
        }
    }

    private static int Descriptor(FileHandleEndPoint endPoint) => endPoint.FileHandleType is FileHandleType.Auto or FileHandleType.Tcp
        ? checked((int)endPoint.FileHandle)
        : throw new NotSupportedException($"A handle of type {endPoint.FileHandleType} is not a socket that listens.");
}
