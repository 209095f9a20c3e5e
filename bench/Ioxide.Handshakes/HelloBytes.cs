using System.Security.Authentication;
using Ioxide.Tls;

namespace Ioxide.Handshakes;

/// <summary>What a handshake's object has written.</summary>
internal static class HelloBytes
{
    /// <summary>The first record of a client.</summary>
    internal static byte[] Make()
    {
        TlsContext context = TlsContext.ForClient(new TlsClientOptions { HostName = "localhost", Protocols = SslProtocols.None });
        using var client = new TlsBufferSession(new HandshakeSettings { IsServer = false, Protocols = [], HostName = "localhost" }, context);
        _ = client.Handshake([], [], out _);
        return Take(client);
    }

    internal static byte[] Take(TlsBufferSession session)
    {
        byte[] output = new byte[session.PendingOutputBytes];
        _ = session.Handshake([], output, out _);
        return output;
    }
}
