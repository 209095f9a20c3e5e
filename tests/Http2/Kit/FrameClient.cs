using System.Buffers.Binary;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>A client that decides about each frame, and each byte of it. Every operation is bounded.</summary>
internal sealed class FrameClient : IDisposable
{
    private readonly RawConnection _connection;
    private readonly HpackDecoder _decoder = new(4096, 1 << 20);

    private FrameClient(RawConnection connection) => _connection = connection;

    internal Socket Socket => _connection.Socket;

    /// <summary>The server reset the connection, which may have taken its last frames along.</summary>
    internal bool WasReset { get; private set; }

    /// <summary>Connects and says what each client says first; with null settings it says nothing.</summary>
    internal static async Task<FrameClient> ConnectAsync(
        IPEndPoint endPoint, (ushort Id, uint Value)[]? settings, bool isTls = false, int receiveBufferBytes = 0)
    {
        FrameClient client = new(await RawConnection.ConnectAsync(endPoint, receiveBufferBytes, isTls, SslApplicationProtocol.Http2));
        if (settings is not null)
        {
            byte[] opening = [.. Http2Connection.Preface, .. Settings(settings)];
            await client.SendAsync(opening);
        }

        return client;
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
        => Headers(streamId, ends, [(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"), .. others]);

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

    internal Task SendAsync(ReadOnlyMemory<byte> bytes) => _connection.SendAsync(bytes);

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

    /// <summary>Sends the head of a request and reads the frames of its answer.</summary>
    internal async Task<List<Frame>> AskAsync(byte[] request)
    {
        await SendAsync(request);
        return await ReadStreamAsync(Http2FrameHeader.Read(request).StreamId);
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

    public void Dispose() => _connection.Dispose();

    private async Task<bool> TryReadAsync(Memory<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            int count;
            try
            {
                count = await _connection.ReceiveAsync(destination);
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
            {
                WasReset = true;
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
}
