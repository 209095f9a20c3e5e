using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls.Tests;

/// <summary>A client of .NET's own.</summary>
internal sealed class SslClient : IAsyncDisposable
{
    private SslClient(Socket socket, SslStream stream)
    {
        Socket = socket;
        Stream = stream;
    }

    internal Socket Socket { get; }

    internal SslStream Stream { get; }

    /// <summary>The server's certificate as it was shown.</summary>
    internal string ServerSubject => Stream.RemoteCertificate!.Subject;

    internal static SslClientAuthenticationOptions Options(Action<SslClientAuthenticationOptions>? configure = null)
    {
        SslClientAuthenticationOptions options = new()
        {
            TargetHost = TestCertificates.ServerName,
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                CustomTrustStore = { TestCertificates.Root },
            },
        };
        configure?.Invoke(options);
        return options;
    }

    internal static async Task<SslClient> ConnectAsync(EndPoint endPoint, SslClientAuthenticationOptions? options = null)
    {
        Socket socket = await RawSocket.ConnectAsync(endPoint);
        return new SslClient(socket, await RawConnection.ShakeHandsAsync(socket, options ?? Options(), Patience.Limit));
    }

    /// <summary>Sends the bytes, and reads as many, at the same time.</summary>
    internal async Task<byte[]> EchoAsync(byte[] sent)
    {
        byte[] received = new byte[sent.Length];
        Task writing = Stream.WriteAsync(sent).AsTask();
        await Stream.ReadExactlyAsync(received).Within(Patience.Limit, "the echo arrives");
        await writing.Within(Patience.Limit);
        return received;
    }

    /// <summary>Says close_notify and reads until the server's.</summary>
    internal async Task FinishAsync()
    {
        await Stream.ShutdownAsync().Within(Patience.Limit);
        Assert.Equal(0, await Stream.ReadAsync(new byte[1]).Within(Patience.Limit, "the server closes"));
    }

    public ValueTask DisposeAsync() => Stream.DisposeAsync();
}
