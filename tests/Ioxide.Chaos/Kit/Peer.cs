using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Chaos;

/// <summary>A client on a blocking socket that decides about each byte it sends and checks each byte it gets.</summary>
/// <remarks>
/// A wrong byte is an <see cref="InvalidDataException"/>, an end too early an <see cref="EndOfStreamException"/>, and every wait
/// ends after <see cref="PatienceMs"/>. It keeps no bytes between replies, so ten thousand of them cost nothing.
/// </remarks>
internal sealed class Peer : IDisposable
{
    /// <summary>No answer within so many milliseconds is a hang.</summary>
    internal const int PatienceMs = 30_000;

    private const int BufferBytes = 64 * 1024;

    [ThreadStatic]
    private static byte[]? s_buffer;

    private readonly Socket _socket;

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

    internal static Peer Connect(EndPoint endPoint, int receiveBufferBytes = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.NoDelay = true;
            socket.ReceiveTimeout = PatienceMs;
            socket.SendTimeout = PatienceMs;
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
        while (!bytes.IsEmpty)
        {
            bytes = bytes[_socket.Send(bytes)..];
        }
    }

    /// <summary>Asks for bytes of a key.</summary>
    internal void SendPattern(ulong key, int lengthBytes, string headers = "", string path = "/pattern?")
        => Send($"GET {path}key={key}&length={lengthBytes} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");

    /// <summary>Sends bytes of a key to be sent back.</summary>
    internal void SendEcho(ulong key, int lengthBytes, string headers = "")
    {
        Send($"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {lengthBytes}\r\n{headers}\r\n");
        byte[] body = new byte[lengthBytes];
        KeyedPattern.Fill(body, key, 0);
        Send(body);
    }

    /// <summary>Asks for bytes of a key and checks all of them.</summary>
    internal Reply Ask(ulong key, int lengthBytes, string headers = "")
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
    internal Reply ReadAnyHead() => ReadHead(out _);

    /// <summary>Reads a reply of any text.</summary>
    internal string ReadText()
    {
        Reply reply = ReadHead(out ReadOnlySpan<byte> start);
        Require(reply, reply.LengthBytes);
        var text = new StringBuilder(Encoding.Latin1.GetString(start));
        while (text.Length < reply.LengthBytes)
        {
            text.Append(Encoding.Latin1.GetString(ReceiveMore()));
        }

        return text.ToString();
    }

    /// <summary>Reads one reply to its end. Every byte has to be the key's, and nothing may follow.</summary>
    internal Reply ReadReply(ulong key, int lengthBytes) => ReadReply(key, lengthBytes, lengthBytes);

    /// <summary>Reads a reply until at least so many bytes of its body came, which have to be the key's.</summary>
    internal Reply ReadReply(ulong key, int lengthBytes, int enoughBytes)
    {
        Reply reply = ReadHead(out ReadOnlySpan<byte> bytes);
        Require(reply, lengthBytes);
        for (int offset = 0; ;)
        {
            Check(bytes, key, offset, lengthBytes);
            offset += bytes.Length;
            if (offset >= enoughBytes)
            {
                return reply;
            }

            bytes = ReceiveMore();
        }
    }

    /// <summary>Reads a reply that the server may cut. What comes of it has to be right.</summary>
    /// <returns>Whether all of it came.</returns>
    internal bool TryReadReply(ulong key, int lengthBytes)
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
    internal void ReadBytes(ulong key, long offset, int lengthBytes)
    {
        for (int read = 0; read < lengthBytes;)
        {
            ReadOnlySpan<byte> bytes = ReceiveMore();
            Check(bytes, key, offset + read, offset + lengthBytes);
            read += bytes.Length;
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

    private static void Check(ReadOnlySpan<byte> bytes, ulong key, long offset, long endOffset)
    {
        int wrong = KeyedPattern.FirstDifference(bytes, key, offset);
        if (wrong >= 0)
        {
            throw new InvalidDataException($"Byte {offset + wrong} of {endOffset} is not that of key {key}.");
        }

        if (offset + bytes.Length > endOffset)
        {
            throw new InvalidDataException($"{offset + bytes.Length} bytes of key {key} came in place of {endOffset}.");
        }
    }

    private Reply ReadHead(out ReadOnlySpan<byte> bodyStart)
    {
        byte[] buffer = SharedBuffer;
        int end;
        do
        {
            int count = _socket.Receive(buffer, ReplyBytes, buffer.Length - ReplyBytes, SocketFlags.None);
            if (count == 0)
            {
                throw new EndOfStreamException($"The connection ended after {ReplyBytes} bytes of a head.");
            }

            ReplyBytes += count;
            end = buffer.AsSpan(0, ReplyBytes).IndexOf("\r\n\r\n"u8);
        }
        while (end < 0);

        bodyStart = buffer.AsSpan((end + 4)..ReplyBytes);
        LastReply = ParseHead(Encoding.Latin1.GetString(buffer, 0, end + 2));
        return LastReply;
    }

    private static Reply ParseHead(string head)
    {
        const string Version = "HTTP/1.1 ";
        if (!head.StartsWith(Version, StringComparison.Ordinal))
        {
            throw new InvalidDataException($"'{head}' is no head.");
        }

        int status = int.Parse(head.AsSpan(Version.Length, 3), CultureInfo.InvariantCulture);
        string length = FieldOf(head, "Content-Length");
        return new Reply(
            status,
            length.Length == 0 ? 0 : int.Parse(length, CultureInfo.InvariantCulture),
            FieldOf(head, "Connection") == "close",
            FieldOf(head, "X-Instance"));
    }

    /// <summary>A field's value, or nothing. HAProxy writes names in small letters.</summary>
    private static string FieldOf(string head, string name)
    {
        int start = head.IndexOf($"\r\n{name}: ", StringComparison.OrdinalIgnoreCase);
        if (start < 0)
        {
            return "";
        }

        start += name.Length + "\r\n: ".Length;
        return head[start..head.IndexOf('\r', start)];
    }

    private ReadOnlySpan<byte> ReceiveMore()
    {
        int count = _socket.Receive(SharedBuffer);
        if (count == 0)
        {
            throw new EndOfStreamException($"The connection ended after {ReplyBytes} bytes of a reply.");
        }

        ReplyBytes += count;
        return SharedBuffer.AsSpan(0, count);
    }
}
