using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.LoadKit;

/// <summary>A client on a blocking socket that decides about each byte it sends and checks each byte it gets.</summary>
/// <remarks>
/// A wrong byte is an <see cref="InvalidDataException"/>, an end too early an <see cref="EndOfStreamException"/>, and every wait
/// ends after <see cref="PatienceMs"/>, or what was given to connect. It is no <see cref="RawClient"/> because it keeps no bytes between replies:
/// ten thousand of them cost nothing.
/// </remarks>
internal sealed class Peer : IDisposable
{
    /// <summary>No answer within so many milliseconds is a hang.</summary>
    internal const int PatienceMs = 30_000;

    private const int BufferBytes = 64 * 1024;

    [ThreadStatic]
    private static byte[]? s_buffer;

    private readonly Socket _socket;

    // What was received and not yet taken lies here in the shared buffer, and is empty between two calls.
    private int _start;
    private int _end;

    private Peer(Socket socket) => _socket = socket;

    /// <summary>Bytes that came since the last request was sent.</summary>
    internal int ReplyBytes { get; private set; }

    /// <summary>The last head that came.</summary>
    internal Reply LastReply { get; private set; }

    /// <summary>This side's address.</summary>
    internal EndPoint LocalEndPoint => _socket.LocalEndPoint!;

    /// <summary>Whether there is something to read: bytes, or the end of the connection.</summary>
    internal bool HasInput => _socket.Poll(0, SelectMode.SelectRead);

    private static byte[] SharedBuffer => s_buffer ??= new byte[BufferBytes];

    private ReadOnlySpan<byte> Buffered => SharedBuffer.AsSpan(_start.._end);

    internal static Peer Connect(EndPoint endPoint, int receiveBufferBytes = 0, int patienceMs = PatienceMs)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.NoDelay = true;
            socket.ReceiveTimeout = patienceMs;
            socket.SendTimeout = patienceMs;
            if (receiveBufferBytes > 0)
            {
                socket.ReceiveBufferSize = receiveBufferBytes;
            }

            socket.Connect(endPoint);
            return new Peer(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    internal void Send(string text) => Send(Encoding.Latin1.GetBytes(text));

    internal void Send(ReadOnlySpan<byte> bytes)
    {
        ReplyBytes = 0;
        SendMore(bytes);
    }

    /// <summary>Sends more of a request, also while another thread reads its answer.</summary>
    internal void SendMore(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[_socket.Send(bytes)..];
        }
    }

    /// <summary>Asks for bytes of a key.</summary>
    internal void SendPattern(long key, int lengthBytes, string headers = "", string path = "/pattern?")
        => Send(PatternRequest(key, lengthBytes, headers, path));

    /// <summary>The request for bytes of a key.</summary>
    internal static string PatternRequest(long key, int lengthBytes, string headers = "", string path = "/pattern?")
        => $"GET {path}key={key}&length={lengthBytes} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n";

    /// <summary>Sends bytes of a key to be sent back, so many at a time.</summary>
    internal void SendEcho(long key, int lengthBytes, string headers = "", int pieceBytes = BufferBytes)
    {
        Send($"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {lengthBytes}\r\n{headers}\r\n");
        byte[] piece = new byte[Math.Min(pieceBytes, lengthBytes)];
        for (int offset = 0; offset < lengthBytes; offset += piece.Length)
        {
            Span<byte> bytes = piece.AsSpan(0, Math.Min(piece.Length, lengthBytes - offset));
            Payload.Fill(bytes, key, offset);
            SendMore(bytes);
        }
    }

    /// <summary>Asks for bytes of a key and checks all of them.</summary>
    internal Reply Ask(long key, int lengthBytes, string headers = "")
    {
        SendPattern(key, lengthBytes, headers);
        return ReadReply(key, lengthBytes);
    }

    /// <summary>Asks for a text.</summary>
    internal string AskText(string path)
    {
        Send($"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return ReadText();
    }

    /// <summary>Reads the head of a reply of any kind.</summary>
    internal Reply ReadAnyHead()
    {
        Begin();
        return ReadHead();
    }

    /// <summary>Reads a reply of any text.</summary>
    internal string ReadText()
    {
        Begin();
        Reply reply = ReadHead();
        Require(reply, reply.LengthBytes);
        while (Buffered.Length < reply.LengthBytes)
        {
            ReceiveMore();
        }

        return Encoding.Latin1.GetString(Buffered);
    }

    /// <summary>Reads one reply to its end. Every byte has to be the key's, and nothing may follow.</summary>
    internal Reply ReadReply(long key, int lengthBytes) => ReadReplies((key, lengthBytes));

    /// <summary>Reads replies that come one behind the other; nothing may follow the last.</summary>
    internal Reply ReadReplies(params ReadOnlySpan<(long Key, int LengthBytes)> replies)
    {
        Begin();
        foreach ((long key, int lengthBytes) in replies)
        {
            ReadReply(key, lengthBytes, lengthBytes, BufferBytes, pause: null);
        }

        return Buffered.IsEmpty ? LastReply : throw new InvalidDataException($"{Buffered.Length} bytes came behind {LastReply}.");
    }

    /// <summary>Reads a reply until at least so many bytes of its body came, which have to be the key's.</summary>
    /// <param name="key">Whose bytes.</param>
    /// <param name="lengthBytes">Of the whole body.</param>
    /// <param name="enoughBytes">Of what is read.</param>
    /// <param name="pieceBytes">Bytes that are taken at a time.</param>
    /// <param name="pause">What is done before each piece.</param>
    internal void ReadPart(long key, int lengthBytes, int enoughBytes, int pieceBytes = BufferBytes, Action? pause = null)
    {
        Begin();
        ReadReply(key, lengthBytes, enoughBytes, pieceBytes, pause);
    }

    /// <summary>Reads a reply that the server may cut. What comes of it has to be right.</summary>
    /// <returns>Whether all of it came.</returns>
    internal bool TryReadReply(long key, int lengthBytes)
    {
        try
        {
            ReadReply(key, lengthBytes);
            return true;
        }
        catch (Exception exception) when (IsEnd(exception))
        {
            return false;
        }
    }

    /// <summary>Reads bytes of a key without a head around them.</summary>
    internal void ReadBytes(long key, long offset, int lengthBytes)
    {
        for (int read = 0; read < lengthBytes; read += Buffered.Length)
        {
            Begin();
            ReceiveMore();
            Check(Buffered, key, offset + read, offset + lengthBytes);
        }
    }

    /// <summary>Waits until the server ends the connection. It may not say anything before.</summary>
    internal void ExpectEnd()
    {
        try
        {
            int count = _socket.Receive(SharedBuffer);
            if (count > 0)
            {
                throw new InvalidDataException($"{count} bytes came where the end was due.");
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // A reset is an end, too.
        }
    }

    /// <summary>Whether the server has ended the connection. What it says before that is thrown away.</summary>
    internal bool DropToEnd()
    {
        try
        {
            while (_socket.Poll(0, SelectMode.SelectRead))
            {
                if (_socket.Receive(SharedBuffer) == 0)
                {
                    return true;
                }
            }

            return false;
        }
        catch (Exception exception) when (IsEnd(exception))
        {
            return true;
        }
    }

    /// <summary>Whether an exception says that the server is gone. A wrong byte or a hang is something else.</summary>
    internal static bool IsEnd(Exception exception)
        => exception is EndOfStreamException
            || (exception is SocketException { SocketErrorCode: var error } && error
                is SocketError.ConnectionReset
                or SocketError.ConnectionAborted
                or SocketError.ConnectionRefused
                or SocketError.Shutdown);

    /// <summary>Whether an exception says that nothing moved for too long.</summary>
    internal static bool IsHang(Exception exception) => exception is SocketException { SocketErrorCode: SocketError.TimedOut };

    /// <summary>Sends FIN and goes on reading.</summary>
    internal void Finish() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>Sends RST.</summary>
    internal void Reset()
    {
        _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }

    public void Dispose() => _socket.Dispose();

    private static void Require(Reply reply, int lengthBytes)
    {
        if (reply.Status != 200 || reply.LengthBytes != lengthBytes)
        {
            throw new InvalidDataException($"{reply} came in place of 200 and {lengthBytes} bytes.");
        }
    }

    private static void Check(ReadOnlySpan<byte> bytes, long key, long offset, long endOffset)
    {
        int wrong = Payload.FirstDifference(bytes, key, offset);
        if (wrong >= 0)
        {
            throw new InvalidDataException($"Byte {offset + wrong} of {endOffset} is not that of key {key}.");
        }

        if (offset + bytes.Length > endOffset)
        {
            throw new InvalidDataException($"{offset + bytes.Length} bytes of key {key} came in place of {endOffset}.");
        }
    }

    private void Begin() => _start = _end = 0;

    private void ReadReply(long key, int lengthBytes, int enoughBytes, int pieceBytes, Action? pause)
    {
        Require(ReadHead(), lengthBytes);
        for (int offset = 0; ;)
        {
            ReadOnlySpan<byte> bytes = Buffered[..Math.Min(Buffered.Length, lengthBytes - offset)];
            Check(bytes, key, offset, lengthBytes);
            offset += bytes.Length;
            _start += bytes.Length;
            if (offset >= enoughBytes)
            {
                return;
            }

            pause?.Invoke();
            ReceiveMore(pieceBytes);
        }
    }

    private Reply ReadHead()
    {
        int headBytes;
        RawHead? head;
        while ((head = RawHead.TryRead(Buffered, out headBytes)) is null)
        {
            ReceiveMore();
        }

        _start += headBytes;
        return LastReply = Reply.Of(head);
    }

    private void ReceiveMore(int mostBytes = BufferBytes)
    {
        byte[] buffer = SharedBuffer;
        Buffered.CopyTo(buffer);
        (_start, _end) = (0, _end - _start);
        int count = _socket.Receive(buffer, _end, Math.Min(mostBytes, buffer.Length - _end), SocketFlags.None);
        if (count == 0)
        {
            throw new EndOfStreamException($"The connection ended after {ReplyBytes} bytes of a reply.");
        }

        ReplyBytes += count;
        _end += count;
    }
}
