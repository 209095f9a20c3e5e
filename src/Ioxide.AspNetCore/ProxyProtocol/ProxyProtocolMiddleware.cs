using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections.Features;

namespace Ioxide.AspNetCore;

/// <summary>Takes the header out of a connection's input, names the client, and passes the connection on as it is.</summary>
/// <remarks>
/// Nothing is put between the connection and what follows: the bytes behind the header stay where they were received, and sends by
/// reference still work. A connection pays for its endpoints, its header and the deadline; a request pays nothing.
/// </remarks>
internal sealed class ProxyProtocolMiddleware(ConnectionDelegate next, ProxyProtocolOptions options, ILogger logger)
{
    private const string NotTrusted =
        "its address is in none of the TrustedNetworks. If it is your balancer, add its network: "
        + "UseProxyProtocol(options => options.TrustedNetworks.Add(...)).";

    private const string NotGuarded =
        "its unix socket is abstract. No permissions protect it, so every process of this network namespace could claim to be any client. "
        + "Listen on a unix socket with a file.";

    // One warning per so many milliseconds, so that strangers cannot fill the log.
    private const int QuietMs = 10_000;

    private const int UnixNameOffset = 2;

    private long _nextWarningMs = long.MinValue;
    private int _unreportedCount;

    internal async Task OnConnectionAsync(ConnectionContext connection)
    {
        if (connection.RemoteEndPoint is null)
        {
            // The peer has already gone.
            return;
        }

        if (!IsTrusted(connection))
        {
            Refuse(connection, connection.LocalEndPoint is UnixDomainSocketEndPoint ? NotGuarded : NotTrusted);
            return;
        }

        var ring = connection.Transport as RingConnection;
        if (ring is not null)
        {
            // Kestrel starts a connection on the thread pool.
            await ring.EnterAsync();
            ring.FirstRead?.BeginPrologue();
        }

        if (await ReadAsync(connection).ConfigureAwait(true) is { } header)
        {
            header.ApplyTo(connection);
            ring?.FirstRead?.EndPrologue(ring);
            await next(connection).ConfigureAwait(true);
        }
    }

    private bool IsTrusted(ConnectionContext connection)
    {
        if (connection.LocalEndPoint is UnixDomainSocketEndPoint unix)
        {
            // To connect takes the right to write to the socket's file; a name without a file has no rights. Source: unix(7).
            // An abstract name begins with a zero, behind the family; its text begins with @, as that of a file may.
            return unix.Serialize() is { Size: > UnixNameOffset } local && local[UnixNameOffset] != 0;
        }

        if (connection.RemoteEndPoint is not IPEndPoint { Address: IPAddress address })
        {
            return false;
        }

        // An IPv4 address that is mapped to IPv6 is in the network of the IPv4 address.
        foreach (IPNetwork network in options.TrustedNetworks)
        {
            if (network.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The header; null where there is none, and then the connection is over.</summary>
    private async ValueTask<ProxyHeader?> ReadAsync(ConnectionContext connection)
    {
        CancellationToken stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? default;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        deadline.CancelAfter(options.Timeout);
        try
        {
            return await ReadAsync(connection, deadline.Token).ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (deadline.IsCancellationRequested && !stopping.IsCancellationRequested)
        {
            Refuse(
                connection,
                $"it sent no complete PROXY protocol header within {options.Timeout.TotalSeconds:0.###} seconds. Make the balancer send one "
                + "(HAProxy: send-proxy-v2 on its server line), or raise Timeout.");
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The peer is gone, or the server stops: nothing that an operator must see.
            TransportLog.ProxyPeerGone(logger, connection.ConnectionId, exception.Message);
        }

        return null;
    }

    private async ValueTask<ProxyHeader?> ReadAsync(ConnectionContext connection, CancellationToken cancellationToken)
    {
        PipeReader input = connection.Transport.Input;
        while (true)
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
            ReadOnlySequence<byte> buffer = read.Buffer;
            (ProxyHeader? header, string? problem) = ProxyHeaderReading.Of(buffer, options.MaxHeaderBytes);
            if (header is not null)
            {
                input.AdvanceTo(buffer.GetPosition(header.LengthBytes));
                return header;
            }

            bool isEmpty = buffer.IsEmpty;
            input.AdvanceTo(buffer.Start, buffer.End);
            if (problem is null && read.IsCompleted && !isEmpty)
            {
                problem = "it ended the connection within its PROXY protocol header.";
            }

            if (problem is not null)
            {
                Refuse(connection, problem);
                return null;
            }

            if (read.IsCompleted || read.IsCanceled)
            {
                // A port check, such as a balancer's, connects and sends nothing.
                return null;
            }
        }
    }

    private void Refuse(ConnectionContext connection, string problem)
    {
        Log(connection, problem);
        connection.Abort(new ConnectionAbortedException($"The connection was refused: {problem}"));
    }

    /// <summary>Reports a refused connection of the endpoint: what comes soon after a warning at Debug.</summary>
    private void Log(ConnectionContext connection, string problem)
    {
        long now = Environment.TickCount64;
        long next = Volatile.Read(ref _nextWarningMs);
        if (now < next || Interlocked.CompareExchange(ref _nextWarningMs, now + QuietMs, next) != next)
        {
            Interlocked.Increment(ref _unreportedCount);
            TransportLog.ProxyPeerRefusedAgain(logger, connection.ConnectionId, connection.RemoteEndPoint, problem);
            return;
        }

        TransportLog.ProxyPeerRefused(
            logger, connection.RemoteEndPoint, connection.LocalEndPoint, problem, Interlocked.Exchange(ref _unreportedCount, 0));
    }
}
