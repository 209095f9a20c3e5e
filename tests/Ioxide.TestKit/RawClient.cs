using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>A client that decides about each byte it sends. Every operation is bounded to 30 seconds.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly byte[] _buffer = new byte[64 * 1024];
    private int _start;
    private int _end;

    private RawClient(Socket socket) => Socket = socket;

    internal Socket Socket { get; }

    internal static Socket CreateSocket(EndPoint endPoint)
        => endPoint is UnixDomainSocketEndPoint
            ? new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    internal static async Task<RawClient> ConnectAsync(EndPoint endPoint, int receiveBufferBytes = 0)
    {
        Socket socket = CreateSocket(endPoint);
        if (receiveBufferBytes > 0)
        {
            socket.ReceiveBufferSize = receiveBufferBytes;
        }

        await socket.ConnectAsync(endPoint).Within(30.Seconds()).ConfigureAwait(false);
        return new(socket);
    }

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    internal Task SendAsync(ReadOnlyMemory<byte> bytes) => SendAllAsync(bytes).Within(30.Seconds());

    /// <summary>Sends a GET and reads its answer.</summary>
    internal async Task<RawResponse> GetAsync(string path, string headers = "")
    {
        await SendAsync(Get(path, headers)).ConfigureAwait(false);
        return await ReadResponseAsync().ConfigureAwait(false);
    }

    /// <summary>The bytes of one GET; <paramref name="headers"/> are whole lines.</summary>
    internal static string Get(string path, string headers = "")
        => $"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n";

    internal async Task<RawResponse> ReadResponseAsync(bool isHead = false)
    {
        string[] statusLine = (await ReadLineAsync().ConfigureAwait(false)).Split(' ', 3);
        if (!statusLine[0].StartsWith("HTTP/1.", StringComparison.Ordinal))
        {
            throw new InvalidDataException($"'{string.Join(' ', statusLine)}' came where a status line was due.");
        }

        int status = int.Parse(statusLine[1], CultureInfo.InvariantCulture);
        Dictionary<string, string> headers = new(StringComparer.OrdinalIgnoreCase);
        for (string line = await ReadLineAsync().ConfigureAwait(false); line.Length > 0; line = await ReadLineAsync().ConfigureAwait(false))
        {
            int colonIndex = line.IndexOf(':', StringComparison.Ordinal);
            headers[line[..colonIndex]] = line[(colonIndex + 1)..].Trim();
        }

        bool hasBody = !isHead && status is not (204 or 304) && status >= 200;
        return new(status, headers, hasBody ? await ReadBodyAsync(headers).ConfigureAwait(false) : []);
    }

    internal async Task<string> ReadLineAsync()
    {
        List<byte> line = [];
        while (line.Count < 2 || line[^2] != '\r' || line[^1] != '\n')
        {
            line.Add((await ReadExactlyAsync(1).ConfigureAwait(false))[0]);
        }

        return Encoding.Latin1.GetString([.. line[..^2]]);
    }

    internal async Task<byte[]> ReadExactlyAsync(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        for (int offset = 0; offset < lengthBytes;)
        {
            int count = await ReadSomeAsync(bytes.AsMemory(offset)).ConfigureAwait(false);
            if (count == 0)
            {
                throw new EndOfStreamException($"The peer ended after {offset} of {lengthBytes} bytes.");
            }

            offset += count;
        }

        return bytes;
    }

    /// <summary>Reads until the peer ends the connection.</summary>
    internal async Task<Ended> ReadToEndAsync()
    {
        using MemoryStream bytes = new();
        byte[] chunk = new byte[64 * 1024];
        try
        {
            for (int count = await ReadSomeAsync(chunk).ConfigureAwait(false); count > 0; count = await ReadSomeAsync(chunk).ConfigureAwait(false))
            {
                bytes.Write(chunk, 0, count);
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            return new(bytes.ToArray(), Ending.Reset);
        }

        return new(bytes.ToArray(), Ending.Fin);
    }

    internal async Task<int> ReadSomeAsync(Memory<byte> destination)
    {
        if (_start == _end)
        {
            _start = 0;
            _end = await Socket.ReceiveAsync(_buffer).Within(30.Seconds()).ConfigureAwait(false);
        }

        int count = Math.Min(destination.Length, _end - _start);
        _buffer.AsSpan(_start, count).CopyTo(destination.Span);
        _start += count;
        return count;
    }

    /// <summary>Sends FIN and goes on reading.</summary>
    internal void Finish() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>Sends RST.</summary>
    internal void Reset()
    {
        Socket.LingerState = new LingerOption(true, 0);
        Socket.Dispose();
    }

    public void Dispose() => Socket.Dispose();

    private async Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await Socket.SendAsync(bytes).ConfigureAwait(false)..];
        }
    }

    private async Task<byte[]> ReadBodyAsync(Dictionary<string, string> headers)
    {
        if (headers.TryGetValue("Content-Length", out string? length))
        {
            return await ReadExactlyAsync(int.Parse(length, CultureInfo.InvariantCulture)).ConfigureAwait(false);
        }

        if (!headers.TryGetValue("Transfer-Encoding", out string? encoding) || encoding != "chunked")
        {
            return (await ReadToEndAsync().ConfigureAwait(false)).Bytes;
        }

        using MemoryStream body = new();
        while (true)
        {
            int chunkBytes = int.Parse(
                await ReadLineAsync().ConfigureAwait(false), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            body.Write(await ReadExactlyAsync(chunkBytes).ConfigureAwait(false));
            if (await ReadLineAsync().ConfigureAwait(false) is { Length: > 0 } surplus)
            {
                throw new InvalidDataException($"'{surplus}' came behind a chunk.");
            }

            if (chunkBytes == 0)
            {
                return body.ToArray();
            }
        }
    }
}
