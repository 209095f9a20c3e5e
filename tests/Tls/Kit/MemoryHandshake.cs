using System.Buffers;
using System.Net.Security;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>Handshakes between a client's and a server's object, without sockets.</summary>
internal sealed unsafe class MemoryHandshake : IDisposable
{
    private readonly TicketKeys _tickets = new(TimeSpan.FromHours(1), TimeProvider.System);
    private readonly HandshakeSettings _serverSettings;
    private readonly HandshakeSettings _clientSettings;
    private readonly TlsContext _server;
    private readonly TlsContext _client;

    internal MemoryHandshake(SslProtocols protocol)
    {
        _server = new ServerContexts(new TlsServerOptions()).Find(
            new SslServerAuthenticationOptions { ServerCertificate = TestCertificates.Ecdsa }, this, "");
        _client = TlsContext.ForClient(new TlsClientOptions { HostName = TestCertificates.ServerName, Protocols = protocol });
        _serverSettings = new() { IsServer = true, Protocols = [], Tickets = _tickets };
        _clientSettings = new() { IsServer = false, Protocols = [], HostName = TestCertificates.ServerName };

        // The client's opinion of the certificate would be most of the time.
        LibSsl.SetVerify(_client.Pointer, mode: 0, null);
    }

    /// <summary>Runs one. Returns why the server failed, null where it is done, and Truncated where it waits for more.</summary>
    /// <param name="change">Gets the number and the bytes of each of the client's flights, and gives what the server sees of it.</param>
    internal TlsFailure? Run(Func<int, byte[], byte[]> change)
    {
        using TlsBufferSession client = new(_clientSettings, _client);
        using TlsBufferSession server = new(_serverSettings, _server);
        byte[] toClient = [];
        byte[] toServer = [];
        client.Handshake([], [], out _);
        bool isClientDone = client.IsHandshakeComplete;
        for (int flight = 0; ; flight++)
        {
            byte[] sent = Take(client);
            if (sent.Length == 0)
            {
                return TlsFailure.Truncated;
            }

            toServer = [.. toServer, .. change(flight, sent)];
            try
            {
                if (Feed(server, ref toServer))
                {
                    return null;
                }
            }
            catch (TlsException exception)
            {
                return exception.Failure;
            }

            toClient = [.. toClient, .. Take(server)];
            try
            {
                isClientDone = isClientDone || Feed(client, ref toClient);
            }
            catch (TlsException)
            {
                // A hello that was changed on its way has another hash at either end.
                return TlsFailure.Handshake;
            }
        }
    }

    public void Dispose() => _tickets.Dispose();

    /// <summary>Gives whole records, one by one; the rest stays. True where the handshake is done.</summary>
    private static bool Feed(TlsBufferSession session, ref byte[] bytes)
    {
        ReadOnlySequence<byte> rest = new(bytes);
        bool isDone = false;
        while (!isDone && RecordHeader.IsWhole(rest, RecordHeader.MaxExpansion12, out RecordHeader header))
        {
            ReadOnlySequence<byte> record = rest.Slice(0, RecordHeader.SizeInBytes + header.LengthBytes);
            session.Handshake(record.ToArray(), [], out _);
            isDone = session.IsHandshakeComplete;
            rest = rest.Slice(record.End);
        }

        bytes = rest.ToArray();
        return isDone;
    }

    /// <summary>What it has written.</summary>
    internal static byte[] Take(TlsBufferSession session)
    {
        byte[] output = new byte[session.PendingOutputBytes];
        if (output.Length > 0)
        {
            session.Handshake([], output, out int bytesWritten);
            Assert.Equal(output.Length, bytesWritten);
        }

        return output;
    }
}
