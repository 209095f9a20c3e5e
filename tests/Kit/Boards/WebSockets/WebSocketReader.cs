using System.Buffers.Binary;
using System.Text.Unicode;

namespace Ioxide.TestKit;

/// <summary>What a server sends, message by message. A frame that it may not send is an event of its own. Source: RFC 6455, section 5.2.</summary>
internal sealed class WebSocketReader(Stream stream, DeflateAgreement? agreement)
{
    private const int HeadBytes = 2;
    private const int MaxControlBytes = 125;
    private const int Compressed = 4;

    private readonly Inflater? _inflater = agreement is null ? null : new Inflater(1 << agreement.ServerWindowBits);
    private readonly byte[] _buffer = new byte[64 * 1024];

    private MemoryStream? _message;
    private int _messageOpcode;
    private bool _isCompressed;
    private int _start;
    private int _end;

    /// <summary>The next whole message, control frame or end.</summary>
    internal async Task<WebSocketEvent> ReadAsync()
    {
        try
        {
            while (true)
            {
                if (await ReadFrameAsync().ConfigureAwait(false) is { } done)
                {
                    return done;
                }
            }
        }
        catch (EndOfStreamException)
        {
            return WebSocketEvent.Broken("an end inside a frame");
        }
        catch (InvalidDataException exception)
        {
            return WebSocketEvent.Broken(exception.Message);
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            return WebSocketEvent.Of(WebSocketEventKind.Reset);
        }
    }

    private async Task<WebSocketEvent?> ReadFrameAsync()
    {
        byte[] head = new byte[HeadBytes];
        if (await TakeAsync(head.AsMemory(0, 1)).ConfigureAwait(false) == 0)
        {
            return WebSocketEvent.Of(WebSocketEventKind.Finished);
        }

        await TakeExactlyAsync(head.AsMemory(1)).ConfigureAwait(false);
        bool isFinal = (head[0] & 0x80) != 0;
        int rsv = (head[0] >> 4) & 7;
        int opcode = head[0] & 15;
        Check((head[1] & 0x80) == 0, "a masked frame");
        int lengthBytes = await ReadLengthAsync(head[1] & 0x7f).ConfigureAwait(false);
        byte[] payload = new byte[lengthBytes];
        await TakeExactlyAsync(payload).ConfigureAwait(false);
        if (opcode >= WebSocketFrame.Close)
        {
            return Control(opcode, isFinal, rsv, payload);
        }

        Take(opcode, rsv, payload);
        return isFinal ? Finish() : null;
    }

    private async Task<int> ReadLengthAsync(int length)
    {
        if (length < 126)
        {
            return length;
        }

        byte[] more = new byte[length == 126 ? sizeof(ushort) : sizeof(ulong)];
        await TakeExactlyAsync(more).ConfigureAwait(false);
        ulong value = more.Length == sizeof(ushort) ? BinaryPrimitives.ReadUInt16BigEndian(more) : BinaryPrimitives.ReadUInt64BigEndian(more);
        Check(value >= (more.Length == sizeof(ushort) ? 126UL : 65_536UL), "a length that is not the shortest");
        Check(value <= int.MaxValue, "a frame beyond all that was sent");
        return (int)value;
    }

    private static WebSocketEvent Control(int opcode, bool isFinal, int rsv, byte[] payload)
    {
        Check(isFinal && rsv == 0 && payload.Length <= MaxControlBytes, "a control frame in parts, with RSV or too long");
        Check(opcode <= WebSocketFrame.Pong, $"reserved opcode {opcode}");
        if (opcode == WebSocketFrame.Close)
        {
            Check(payload.Length != 1 && Utf8.IsValid(payload.AsSpan(Math.Min(payload.Length, sizeof(ushort)))), "a close frame of broken content");
        }

        return new WebSocketEvent(
            opcode switch
            {
                WebSocketFrame.Close => WebSocketEventKind.Close,
                WebSocketFrame.Ping => WebSocketEventKind.Ping,
                _ => WebSocketEventKind.Pong,
            },
            payload);
    }

    private void Take(int opcode, int rsv, byte[] payload)
    {
        if (_message is null)
        {
            Check(opcode is WebSocketFrame.Text or WebSocketFrame.Binary, $"opcode {opcode} where a message begins");
            Check(rsv == 0 || (rsv == Compressed && _inflater is not null), $"RSV {rsv}");
            (_message, _messageOpcode, _isCompressed) = (new MemoryStream(), opcode, rsv == Compressed);
        }
        else
        {
            Check(opcode == WebSocketFrame.Continuation && rsv == 0, $"opcode {opcode}, RSV {rsv} inside a message");
        }

        _message.Write(payload);
    }

    private WebSocketEvent Finish()
    {
        byte[] payload = _message!.ToArray();
        _message = null;
        if (_isCompressed)
        {
            // Source: RFC 7692, section 7.2.2.
            payload = _inflater!.Inflate([.. payload, 0, 0, 0xff, 0xff]);
            if (agreement!.IsServerFresh)
            {
                _inflater.Forget();
            }
        }

        bool isText = _messageOpcode == WebSocketFrame.Text;
        Check(!isText || Utf8.IsValid(payload), "a text that is no UTF-8");
        return new WebSocketEvent(isText ? WebSocketEventKind.Text : WebSocketEventKind.Binary, payload);
    }

    private static void Check(bool isRight, string wrong)
    {
        if (!isRight)
        {
            throw new InvalidDataException(wrong);
        }
    }

    private async Task TakeExactlyAsync(Memory<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            int count = await TakeAsync(destination).ConfigureAwait(false);
            if (count == 0)
            {
                throw new EndOfStreamException();
            }

            destination = destination[count..];
        }
    }

    private async Task<int> TakeAsync(Memory<byte> destination)
    {
        if (_start == _end)
        {
            (_start, _end) = (0, await stream.ReadAsync(_buffer).ConfigureAwait(false));
        }

        int count = Math.Min(destination.Length, _end - _start);
        _buffer.AsMemory(_start, count).CopyTo(destination);
        _start += count;
        return count;
    }
}
