using System.IO.Pipelines;
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
        using var client = new Handshake(new HandshakeSettings { IsServer = false, Protocols = [], HostName = "localhost" }, context);
        client.Step();
        return Take(client);
    }

    internal static byte[] Take(Handshake handshake)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        handshake.TakeOutput(pipe.Writer);
        pipe.Writer.Complete();
        return pipe.Reader.TryRead(out ReadResult read) ? System.Buffers.BuffersExtensions.ToArray(read.Buffer) : [];
    }
}
