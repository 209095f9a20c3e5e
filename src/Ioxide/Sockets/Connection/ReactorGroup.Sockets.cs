namespace Ioxide;

/// <summary>Listeners and connections of a group.</summary>
public sealed partial class ReactorGroup
{
    /// <summary>Accepts connections and runs the handler for each, on the connection's reactor.</summary>
    /// <param name="endPoint">An IP endpoint (port 0 picks a free one) or a unix socket.</param>
    /// <param name="handler">Serves one connection. The connection is disposed when it returns, aborted when it throws.</param>
    /// <param name="options">Defaults to a new <see cref="RingListenOptions"/>.</param>
    /// <param name="cancellationToken">Ends the wait for a port that a dying process still holds.</param>
    /// <exception cref="SocketException">The address is in use, not available or not allowed.</exception>
    public Task<RingListener> ListenAsync(
        EndPoint endPoint,
        Func<RingConnection, Task> handler,
        RingListenOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(handler);
        return RingListener.BindAsync(
            this, endPoint, connection => _ = RunHandlerAsync(connection, handler), options ?? new RingListenOptions(), cancellationToken);
    }

    /// <summary>Opens a connection: on the caller's reactor if there is one, else on each reactor in turn.</summary>
    /// <param name="endPoint">
    /// An IP endpoint, a unix socket, or a <see cref="DnsEndPoint"/>, whose addresses of its family are tried in turn.
    /// </param>
    /// <param name="options">Limits of the connection.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="SocketException">Nothing listens at the address, or it cannot be reached.</exception>
    public async ValueTask<RingConnection> ConnectAsync(
        EndPoint endPoint, RingConnectionOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        Reactor reactor = Reactor.Current is { } current && ReferenceEquals(current.Group, this) ? current : NextReactor();
        if (endPoint is not DnsEndPoint dns)
        {
            return await reactor.ConnectAsync(endPoint, options, cancellationToken).ConfigureAwait(false);
        }

        SocketException? last = null;
        IPAddress[] addresses = await Dns.GetHostAddressesAsync(dns.Host, dns.AddressFamily, cancellationToken).ConfigureAwait(false);
        foreach (IPAddress address in addresses)
        {
            try
            {
                return await reactor.ConnectAsync(new IPEndPoint(address, dns.Port), options, cancellationToken).ConfigureAwait(false);
            }
            catch (SocketException exception)
            {
                // The next address may answer. If none does, the last failure is thrown.
                last = exception;
            }
        }

        throw last ?? new SocketException((int)SocketError.HostNotFound);
    }

    [ApplicationSide]
    private static async Task RunHandlerAsync(RingConnection connection, [ApplicationSide] Func<RingConnection, Task> handler)
    {
        try
        {
            await handler(connection).ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            // A peer that disconnects is not the handler's fault.
            if (connection.CloseReason is not (CloseReason.PeerReset or CloseReason.ReactorEnded or CloseReason.Aborted or CloseReason.TimedOut))
            {
                connection.Reactor.ReportUnhandled(exception);
            }

            connection.Abort(exception);
        }

        await connection.DisposeAsync().ConfigureAwait(false);
    }
}
