using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>A client of HTTP/1 that decides about each byte it sends. Every operation is bounded to 30 seconds.</summary>
internal sealed class RawClient : IDisposable
{
    private readonly RawConnection _connection;
    private byte[] _buffer = new byte[64 * 1024];
    private int _start;
    private int _end;

    private RawClient(RawConnection connection) => _connection = connection;

    internal Socket Socket => _connection.Socket;

    private ReadOnlySpan<byte> Buffered => _buffer.AsSpan(_start.._end);

    internal static async Task<RawClient> ConnectAsync(
        EndPoint endPoint, int receiveBufferBytes = 0, bool isTls = false, SslApplicationProtocol? protocol = null)
        => new(await RawConnection.ConnectAsync(endPoint, receiveBufferBytes, isTls, protocol).ConfigureAwait(false));

    internal Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    internal Task SendAsync(ReadOnlyMemory<byte> bytes) => _connection.SendAsync(bytes);

    /// <summary>Sends a GET and reads its answer.</summary>
    internal Task<RawResponse> GetAsync(string path, string headers = "") => AskAsync(Get(path, headers));

    /// <summary>Sends a request and reads its answer.</summary>
    internal async Task<RawResponse> AskAsync(string request)
    {
        await SendAsync(request).ConfigureAwait(false);
        return await ReadResponseAsync(request.StartsWith("HEAD ", StringComparison.Ordinal)).ConfigureAwait(false);
    }

    /// <summary>The bytes of one GET; <paramref name="headers"/> are whole lines.</summary>
    internal static string Get(string path, string headers = "") => Request($"GET {path}", headers);

    /// <summary>The bytes of a request's head; <paramref name="headers"/> are whole lines.</summary>
    internal static string Request(string methodAndPath, string headers = "") => $"{methodAndPath} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n";

    /// <exception cref="EndOfStreamException">The peer ended before the response did.</exception>
    /// <exception cref="InvalidDataException">What came is no response, or has trailers.</exception>
    internal async Task<RawResponse> ReadResponseAsync(bool isHead = false)
    {
        (RawResponse response, _) = await ReadBytesOfResponseAsync(isHead).ConfigureAwait(false);
        return response.Trailers.Count == 0 ? response : throw new InvalidDataException($"'{response.Trailers[0]}' came behind the last chunk.");
    }

    /// <summary>As <see cref="ReadResponseAsync"/>, with the bytes as they came.</summary>
    internal async Task<(RawResponse Response, byte[] Bytes)> ReadBytesOfResponseAsync(bool isHead = false)
    {
        for (bool hasEnded = false; ;)
        {
            if (RawResponse.TryRead(Buffered, isHead, hasEnded, out int lengthBytes) is { } response)
            {
                byte[] bytes = Buffered[..lengthBytes].ToArray();
                _start += lengthBytes;
                return (response, bytes);
            }

            if (hasEnded)
            {
                throw new EndOfStreamException($"The peer ended after {_end - _start} bytes of a response.");
            }

            try
            {
                hasEnded = !await FillAsync().ConfigureAwait(false);
            }
            catch (SocketException exception) when (IsReset(exception) && RawResponse.TryRead(Buffered, isHead, hasEnded: true, out _) is not null)
            {
                // Without a length, a reset ends the body, too.
                hasEnded = true;
            }
        }
    }

    /// <summary>Reads a head and leaves the body.</summary>
    internal async Task<RawHead> ReadHeadAsync()
    {
        int lengthBytes;
        RawHead? head;
        while ((head = RawHead.TryRead(Buffered, out lengthBytes)) is null)
        {
            await FillOrThrowAsync().ConfigureAwait(false);
        }

        _start += lengthBytes;
        return head;
    }

    internal async Task<string> ReadLineAsync()
    {
        int length;
        while ((length = Buffered.IndexOf("\r\n"u8)) < 0)
        {
            await FillOrThrowAsync().ConfigureAwait(false);
        }

        string line = Encoding.Latin1.GetString(Buffered[..length]);
        _start += length + 2;
        return line;
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
        catch (SocketException exception) when (IsReset(exception))
        {
            return new(bytes.ToArray(), Ending.Reset);
        }

        return new(bytes.ToArray(), Ending.Fin);
    }

    /// <summary>Fails where another byte comes, and where the connection ends in another way.</summary>
    internal async Task AssertEndsAsync(Ending ending)
    {
        Ended ended = await ReadToEndAsync().ConfigureAwait(false);
        if (ended.Bytes.Length > 0 || ended.Ending != ending)
        {
            throw new InvalidDataException($"{ended.Bytes.Length} bytes and {ended.Ending} came in place of {ending}.");
        }
    }

    internal async Task<int> ReadSomeAsync(Memory<byte> destination)
    {
        if (_start == _end)
        {
            await FillAsync().ConfigureAwait(false);
        }

        int count = Math.Min(destination.Length, _end - _start);
        _buffer.AsSpan(_start, count).CopyTo(destination.Span);
        _start += count;
        return count;
    }

    /// <summary>Sends FIN and goes on reading.</summary>
    internal void Finish() => _connection.Finish();

    /// <summary>Sends RST.</summary>
    internal void Reset() => Socket.Reset();

    public void Dispose() => _connection.Dispose();

    private static bool IsReset(SocketException exception) => exception.SocketErrorCode == SocketError.ConnectionReset;

    private async Task FillOrThrowAsync()
    {
        if (!await FillAsync().ConfigureAwait(false))
        {
            throw new EndOfStreamException($"The peer ended in the middle of a head or line of {_end - _start} bytes.");
        }
    }

    /// <summary>Receives more behind what lies there.</summary>
    /// <returns>False at the end.</returns>
    private async Task<bool> FillAsync()
    {
        if (_start == _end)
        {
            _start = _end = 0;
        }
        else if (_end == _buffer.Length)
        {
            byte[] larger = _start > 0 ? _buffer : new byte[_buffer.Length * 2];
            Buffered.CopyTo(larger);
            (_start, _end) = (0, _end - _start);
            _buffer = larger;
        }

        int count = await _connection.ReceiveAsync(_buffer.AsMemory(_end)).ConfigureAwait(false);
        _end += count;
        return count > 0;
    }
}
