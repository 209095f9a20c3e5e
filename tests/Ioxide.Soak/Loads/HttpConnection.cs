using System.Buffers.Text;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Soak;

/// <summary>A client's connection that checks every byte of an answer as it comes.</summary>
internal sealed class HttpConnection : IDisposable
{
    private const int BufferBytes = 32 * 1024;

    private readonly Socket _socket;
    private readonly Lane _lane;
    private readonly Counters _counters;
    private readonly byte[] _buffer = new byte[BufferBytes];
    private int _start;
    private int _end;

    private HttpConnection(Socket socket, Lane lane, Counters counters)
    {
        _socket = socket;
        _lane = lane;
        _counters = counters;
    }

    /// <summary>Bytes received so far.</summary>
    internal long Received { get; private set; }

    internal static async Task<HttpConnection> ConnectAsync(
        EndPoint endPoint, Lane lane, Counters counters, int receiveBufferBytes = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        lane.Use(socket);
        if (receiveBufferBytes > 0)
        {
            socket.ReceiveBufferSize = receiveBufferBytes;
        }

        try
        {
            await socket.ConnectAsync(endPoint);
            lane.Touch();
            return new(socket, lane, counters);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    internal static string GetText(long key, int length, ResumePlace place = ResumePlace.Here) => string.Create(
        CultureInfo.InvariantCulture,
        $"GET /pattern?key={key}&length={length}&place={(int)place} HTTP/1.1\r\nHost: localhost\r\n\r\n");

    internal Task SendAsync(string text) => SendAsync(Encoding.ASCII.GetBytes(text));

    internal async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await _socket.SendAsync(bytes)..];
            _lane.Touch();
        }
    }

    /// <summary>Reads one answer whose body must be the first bytes of a key's stream.</summary>
    /// <param name="key">The stream.</param>
    /// <param name="length">Bytes of the body.</param>
    /// <param name="pieceBytes">Bytes that are taken at a time.</param>
    /// <param name="pauseAsync">Waited for after each piece.</param>
    internal async Task ReadPatternAsync(long key, int length, int pieceBytes = BufferBytes, Func<Task>? pauseAsync = null)
    {
        await ReadHeadAsync(length);
        for (int offset = 0; offset < length;)
        {
            if (_start == _end)
            {
                await FillAsync(pieceBytes);
            }

            int count = Math.Min(_end - _start, length - offset);
            int wrong = Pattern.Differences(_buffer.AsSpan(_start, count), key, offset);
            _counters.AddWrongBytes(wrong, $"{_lane.Name}, at {offset} of {length}");
            offset += count;
            _start += count;
            if (pauseAsync is not null)
            {
                _lane.Rest();
                await pauseAsync();
                _lane.Touch();
            }
        }
    }

    /// <summary>Reads one answer with a short text.</summary>
    internal async Task<string> ReadTextAsync()
    {
        int length = await ReadHeadAsync(null);
        while (_end - _start < length)
        {
            await FillAsync(BufferBytes);
        }

        _start += length;
        return Encoding.ASCII.GetString(_buffer, _start - length, length);
    }

    /// <summary>Reads until the server ends the connection; what was buffered counts as read.</summary>
    internal async Task ReadToEndAsync()
    {
        try
        {
            while (true)
            {
                _start = _end;
                await FillAsync(BufferBytes);
            }
        }
        catch (EndOfStreamException)
        {
            // That is what was waited for.
        }
    }

    internal void Finish() => _socket.Shutdown(SocketShutdown.Send);

    internal void Reset()
    {
        _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }

    public void Dispose() => _socket.Dispose();

    /// <summary>Takes a head with status 200 and gives its body's length.</summary>
    private async Task<int> ReadHeadAsync(int? expectedLength)
    {
        int headLength;
        while ((headLength = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n\r\n"u8)) < 0)
        {
            await FillAsync(BufferBytes);
        }

        int length = LengthOf(_buffer.AsSpan(_start, headLength));
        if (length < 0 || (expectedLength ?? length) != length)
        {
            string head = Encoding.Latin1.GetString(_buffer, _start, headLength);
            _counters.AddWrongBytes(headLength, $"{_lane.Name}, a head that nobody asked for: {head}");
            throw new InvalidDataException("The answer is not the one that was asked for.");
        }

        _start += headLength + 4;
        return length;
    }

    private static int LengthOf(ReadOnlySpan<byte> head)
    {
        ReadOnlySpan<byte> name = "\r\nContent-Length: "u8;
        int nameIndex = head.IndexOf(name);
        return head.StartsWith("HTTP/1.1 200 OK\r\n"u8)
            && nameIndex > 0
            && Utf8Parser.TryParse(head[(nameIndex + name.Length)..], out int length, out _)
            ? length
            : -1;
    }

    private async Task FillAsync(int mostBytes)
    {
        if (_start == _end)
        {
            _start = 0;
            _end = 0;
        }
        else if (_end == _buffer.Length)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            _end -= _start;
            _start = 0;
        }

        int count = await _socket.ReceiveAsync(_buffer.AsMemory(_end, Math.Min(mostBytes, _buffer.Length - _end)));
        _lane.Touch();
        if (count == 0)
        {
            throw new EndOfStreamException("The server ended the connection.");
        }

        Received += count;
        _end += count;
    }
}
