using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>A socket of a client, in clear text or under TLS, which throws what a socket throws. Every operation is bounded to 30 seconds.</summary>
internal sealed class RawConnection : IDisposable
{
    // Null in clear text.
    private readonly SslStream? _tls;

    private RawConnection(Socket socket, SslStream? tls)
    {
        Socket = socket;
        _tls = tls;
    }

    internal Socket Socket { get; }

    /// <param name="endPoint">The server.</param>
    /// <param name="receiveBufferBytes">Room to receive; 0 for the system's choice.</param>
    /// <param name="isTls">Whether TLS is spoken, with a server whose certificate nobody has signed.</param>
    /// <param name="protocol">Offered under TLS, and then negotiated; null for none.</param>
    internal static async Task<RawConnection> ConnectAsync(
        EndPoint endPoint, int receiveBufferBytes = 0, bool isTls = false, SslApplicationProtocol? protocol = null)
    {
        Socket socket = await RawSocket.ConnectAsync(endPoint, receiveBufferBytes).ConfigureAwait(false);
        RawConnection connection = new(socket, isTls ? await ShakeHandsAsync(socket, Options(protocol)).ConfigureAwait(false) : null);
        if (connection._tls?.NegotiatedApplicationProtocol is { } negotiated && negotiated != (protocol ?? default))
        {
            connection.Dispose();
            throw new InvalidDataException($"'{negotiated}' was negotiated in place of '{protocol}'.");
        }

        return connection;
    }

    /// <summary>TLS over a connected socket, which the stream owns.</summary>
    internal static async Task<SslStream> ShakeHandsAsync(Socket socket, SslClientAuthenticationOptions? options = null, TimeSpan? limit = null)
    {
        SslStream tls = new(new NetworkStream(socket, ownsSocket: true));
        try
        {
            await tls.AuthenticateAsClientAsync(options ?? Options()).Within(limit ?? 30.Seconds(), "the handshake ends").ConfigureAwait(false);
            return tls;
        }
        catch
        {
            await tls.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Options of a client of a server that shows <see cref="CertificateMaker.SelfSigned"/>.</summary>
    internal static SslClientAuthenticationOptions Options(SslApplicationProtocol? protocol = null) => new()
    {
        TargetHost = "localhost",
        ApplicationProtocols = protocol is { } only ? [only] : null,
        RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost",
    };

    internal Task SendAsync(ReadOnlyMemory<byte> bytes) => _tls is null ? Socket.SendAllAsync(bytes) : AsOnSocketAsync(SendSecuredAsync(bytes));

    /// <returns>How many bytes came; 0 at the end.</returns>
    internal Task<int> ReceiveAsync(Memory<byte> destination)
        => _tls is null
            ? Socket.ReceiveAsync(destination).AsTask().Within(30.Seconds())
            : AsOnSocketAsync(_tls.ReadAsync(destination).AsTask().Within(30.Seconds()));

    /// <summary>Sends FIN and continues to read.</summary>
    internal void Finish() => Socket.Shutdown(SocketShutdown.Send);

    public void Dispose()
    {
        Socket.Dispose();
        _tls?.Dispose();
    }

    private async Task<int> SendSecuredAsync(ReadOnlyMemory<byte> bytes)
    {
        await _tls!.WriteAsync(bytes).AsTask().Within(30.Seconds()).ConfigureAwait(false);
        return bytes.Length;
    }

    /// <summary>The stream puts the socket's exceptions into others.</summary>
    private static async Task<int> AsOnSocketAsync(Task<int> task)
    {
        try
        {
            return await task.ConfigureAwait(false);
        }
        catch (IOException exception) when (exception.InnerException is SocketException inner)
        {
            throw new SocketException((int)inner.SocketErrorCode);
        }
        catch (IOException exception) when (exception.InnerException is ObjectDisposedException inner)
        {
            throw inner;
        }
    }
}
