using System.Net;
using System.Net.Http;
using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>The framework's clients of one endpoint: each connection goes there, whatever the request says.</summary>
internal static class HttpClients
{
    /// <summary>Neither decompresses nor follows redirects, and accepts <see cref="CertificateMaker.SelfSigned"/>.</summary>
    internal static SocketsHttpHandler Handler(EndPoint endPoint) => new()
    {
        UseProxy = false,
        AllowAutoRedirect = false,
        SslOptions = RawConnection.Options(),
        ConnectCallback = async (_, cancellationToken) =>
        {
            Socket socket = RawSocket.Create(endPoint);
            await socket.ConnectAsync(endPoint, cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };

    /// <summary>Speaks exactly one version; HTTP/1.1 where none is given.</summary>
    internal static HttpClient Create(HttpMessageHandler handler, bool isHttps, Version? version, TimeSpan timeout) => new(handler)
    {
        BaseAddress = new Uri(isHttps ? "https://localhost/" : "http://localhost/"),
        DefaultRequestVersion = version ?? HttpVersion.Version11,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        Timeout = Waits.Generous(timeout),
    };
}
