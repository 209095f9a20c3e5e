using System.Buffers.Binary;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>A client that decides about each frame, and each byte of it. Every operation is bounded.</summary>
internal sealed class FrameClient : IDisposable
{
    private readonly Socket _socket;
    private readonly HpackDecoder _decoder = new(4096, 1 << 20);

    // Null in clear text.
    private readonly SslStream? _tls;

    private FrameClient(Socket socket, SslStream? tls)
    {
        _socket = socket;
        _tls = tls;
    }

    internal Socket Socket => _socket;

    /// <summary>Connects and says what each client says first; with null settings it says nothing.</summary>
    internal static async Task<FrameClient> ConnectAsync(IPEndPoint endPoint, (ushort Id, uint Value)[]? settings, bool isTls = false)
    {
        Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(endPoint).Within(30.Seconds());
        FrameClient client = new(socket, isTls ? await ShakeHandsAsync(socket, SslApplicationProtocol.Http2) : null);
        if (settings is not null)
        {
            byte[] opening = [.. Http2Connection.Preface, .. Settings(settings)];
            await client.SendAsync(opening);
        }

        return client;
    }

    /// <summary>TLS over the socket, with a server whose certificate nobody has signed.</summary>
    internal static async Task<SslStream> ShakeHandsAsync(Socket socket, SslApplicationProtocol protocol)
    {
        SslStream tls = new(new NetworkStream(socket, ownsSocket: false));
        SslClientAuthenticationOptions options = new()
        {
            TargetHost = "localhost",
            ApplicationProtocols = [protocol],
            RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost",
        };
        await tls.AuthenticateAsClientAsync(options).Within(30.Seconds());
        Assert.Equal(protocol, tls.NegotiatedApplicationProtocol);
        return tls;
    }

    internal static byte[] Frame(Http2FrameType type, Http2FrameFlags flags, int streamId, params ReadOnlySpan<byte> payload)
    {
        byte[] frame = new byte[Http2FrameHeader.SizeInBytes + payload.Length];
        new Http2FrameHeader(payload.Length, type, flags, streamId).Write(frame);
        payload.CopyTo(frame.AsSpan(Http2FrameHeader.SizeInBytes));
        return frame;
    }

    internal static byte[] Settings(params (ushort Id, uint Value)[] settings)
    {
        byte[] payload = new byte[settings.Length * 6];
        for (int index = 0; index < settings.Length; index++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(payload.AsSpan(index * 6), settings[index].Id);
            BinaryPrimitives.WriteUInt32BigEndian(payload.AsSpan((index * 6) + 2), settings[index].Value);
        }

        return Frame(Http2FrameType.Settings, Http2FrameFlags.None, 0, payload);
    }

    internal static byte[] Number(Http2FrameType type, int streamId, uint number)
    {
        byte[] payload = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(payload, number);
        return Frame(type, Http2FrameFlags.None, streamId, payload);
    }

    internal static byte[] Data(int streamId, ReadOnlySpan<byte> data, bool ends = false)
        => Frame(Http2FrameType.Data, ends ? Http2FrameFlags.EndStream : Http2FrameFlags.None, streamId, data);

    /// <summary>HEADERS of a request with the usual four fields and others.</summary>
    internal static byte[] Request(int streamId, string path = "/", bool ends = true, string method = "GET", params (string Name, string Value)[] others)
        => Headers(
            streamId,
            ends,
            [(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"), .. others]);

    internal static byte[] Headers(int streamId, bool ends, params (string Name, string Value)[] fields)
        => Frame(
            Http2FrameType.Headers,
            Http2FrameFlags.EndHeaders | (ends ? Http2FrameFlags.EndStream : Http2FrameFlags.None),
            streamId,
            Block(fields));

    /// <summary>A block of literals, as they are given: nothing is lowered or checked.</summary>
    internal static byte[] Block(params (string Name, string Value)[] fields)
    {
        List<byte> block = [];
        Span<byte> number = stackalloc byte[HpackInteger.MaxBytes];
        foreach ((string name, string value) in fields)
        {
            block.Add(0);
            foreach (string text in (string[])[name, value])
            {
                byte[] bytes = System.Text.Encoding.Latin1.GetBytes(text);
                block.AddRange(number[..HpackInteger.Write(number, 7, bytes.Length, 0)]);
                block.AddRange(bytes);
            }
        }

        return [.. block];
    }

    internal async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        if (_tls is not null)
        {
            await AsOnSocketAsync(_tls.WriteAsync(bytes).AsTask().Within(30.Seconds()));
            return;
        }

        while (!bytes.IsEmpty)
        {
            bytes = bytes[await _socket.SendAsync(bytes).AsTask().Within(30.Seconds())..];
        }
    }

    /// <summary>The next frame; null at the end of the stream, and where the server reset it.</summary>
    internal async Task<Frame?> ReadAnyAsync()
    {
        byte[] header = new byte[Http2FrameHeader.SizeInBytes];
        if (!await TryReadAsync(header))
        {
            return null;
        }

        Http2FrameHeader read = Http2FrameHeader.Read(header);
        byte[] payload = new byte[read.Length];
        if (!await TryReadAsync(payload))
        {
            return null;
        }

        if (read.Type != Http2FrameType.Headers)
        {
            return new Frame(read.Type, read.Flags, read.StreamId, payload);
        }

        byte[] block = payload;
        Http2FrameHeader last = read;
        while (!last.Has(Http2FrameFlags.EndHeaders))
        {
            Assert.True(await TryReadAsync(header));
            last = Http2FrameHeader.Read(header);
            Assert.Equal(Http2FrameType.Continuation, last.Type);
            byte[] more = new byte[last.Length];
            Assert.True(await TryReadAsync(more));
            block = [.. block, .. more];
        }

        return new Frame(read.Type, read.Flags, read.StreamId, block, FieldList.Decode(_decoder, block));
    }

    /// <summary>The next frame that is no settings and no window.</summary>
    internal async Task<Frame?> ReadAsync()
    {
        while (true)
        {
            Frame? frame = await ReadAnyAsync();
            if (frame is not { Type: Http2FrameType.Settings or Http2FrameType.WindowUpdate })
            {
                return frame;
            }
        }
    }

    /// <summary>Reads until a stream ends, and gives its frames.</summary>
    internal async Task<List<Frame>> ReadStreamAsync(int streamId)
    {
        List<Frame> frames = [];
        while (true)
        {
            Frame frame = await ReadAsync() ?? throw new EndOfStreamException($"The server ended before stream {streamId}.");
            if (frame.StreamId != streamId)
            {
                Assert.NotEqual(Http2FrameType.GoAway, frame.Type);
                continue;
            }

            frames.Add(frame);
            if (frame.EndsStream && frame.Type is Http2FrameType.Data or Http2FrameType.Headers || frame.Type == Http2FrameType.RstStream)
            {
                return frames;
            }
        }
    }

    /// <summary>Reads to the end and gives the last GOAWAY.</summary>
    internal async Task<Frame?> ReadGoAwayAsync()
    {
        Frame? goAway = null;
        while (await ReadAnyAsync() is { } frame)
        {
            goAway = frame.Type == Http2FrameType.GoAway ? frame : goAway;
        }

        return goAway;
    }

    public void Dispose()
    {
        _socket.Dispose();
        _tls?.Dispose();
    }

    /// <summary>The stream puts the socket's exceptions into others.</summary>
    private static async Task AsOnSocketAsync(Task task)
    {
        try
        {
            await task;
        }
        catch (IOException exception) when (exception.InnerException is SocketException inner)
        {
            throw new SocketException((int)inner.SocketErrorCode);
        }
        catch (IOException exception) when (exception.InnerException is ObjectDisposedException inner)
        {
            throw inner;
        }
    }

    private async Task<bool> TryReadAsync(Memory<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            int count;
            try
            {
                count = await ReceiveAsync(destination);
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
            {
                return false;
            }

            if (count == 0)
            {
                return false;
            }

            destination = destination[count..];
        }

        return true;
    }

    private async Task<int> ReceiveAsync(Memory<byte> destination)
    {
        if (_tls is null)
        {
            return await _socket.ReceiveAsync(destination).AsTask().Within(30.Seconds());
        }

        Task<int> received = _tls.ReadAsync(destination).AsTask().Within(30.Seconds());
        await AsOnSocketAsync(received);
        return await received;
    }
}
