using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.BadNetwork;

/// <summary>A client that decides about its socket: it can say that it has said all, and read on.</summary>
internal sealed class RawPeer : IDisposable
{
    private const byte HeadersType = 1;
    private const byte SettingsType = 4;
    private const byte EndStreamAndHeaders = 5;

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly Subject _subject;

    private RawPeer(Socket socket, Stream stream, Subject subject)
    {
        _socket = socket;
        _stream = stream;
        _subject = subject;
    }

    internal static async Task<RawPeer> ConnectAsync(Stage stage, Subject subject)
    {
        Socket socket = await stage.ConnectAsync(subject);
        Stream stream = subject == Subject.Tls ? await RawConnection.ShakeHandsAsync(socket) : new NetworkStream(socket, ownsSocket: true);
        return new(socket, stream, subject);
    }

    /// <summary>Sends a whole request.</summary>
    internal async Task GetAsync(string path) => await _stream.WriteAsync(_subject == Subject.Http2 ? Http2Request(path) : Http1Request(path));

    /// <summary>Says that nothing more comes, in TLS too.</summary>
    internal async Task FinishAsync()
    {
        if (_stream is SslStream tls)
        {
            await tls.ShutdownAsync();
        }

        _socket.Shutdown(SocketShutdown.Send);
    }

    public void Dispose()
    {
        _stream.Dispose();
        _socket.Dispose();
    }

    private static byte[] Http1Request(string path) => Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");

    /// <summary>Source: RFC 9113, sections 3.4, 4.1 and 8.3.1; RFC 7541, section 6.2.2.</summary>
    private static byte[] Http2Request(string path)
    {
        List<byte> block = [];
        (string Name, string Value)[] fields = [(":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "localhost")];
        foreach ((string name, string value) in fields)
        {
            block.AddRange([0, (byte)name.Length, .. Encoding.ASCII.GetBytes(name), (byte)value.Length, .. Encoding.ASCII.GetBytes(value)]);
        }

        return
        [
            .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8,
            0, 0, 0, SettingsType, 0, 0, 0, 0, 0,
            0, 0, (byte)block.Count, HeadersType, EndStreamAndHeaders, 0, 0, 0, 1,
            .. block,
        ];
    }
}
