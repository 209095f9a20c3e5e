using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Splits received bytes into messages. A message in one buffer is read in place.</summary>
/// <remarks>A message is its type (1 byte), its length (4 bytes, itself included), and its body.</remarks>
internal ref struct MessageReader
{
    internal const int HeaderBytes = 5;

    private readonly MessageScratch _scratch;
    private ReadOnlySequence<byte> _rest;
    private ReadOnlySpan<byte> _span;
    private int _spanConsumed;

    internal MessageReader(scoped in ReadOnlySequence<byte> received, MessageScratch scratch)
    {
        _rest = received;
        _scratch = scratch;
        _span = received.FirstSpan;
    }

    /// <summary>The position of the first unread message.</summary>
    internal readonly SequencePosition Consumed => _rest.GetPosition(_spanConsumed);

    /// <summary>Takes the next message. False while it is incomplete, or if it is one that is not read whole.</summary>
    /// <param name="type">The message's first byte.</param>
    /// <param name="body">Its body, valid until the next call and until the reader of the pipe advances.</param>
    /// <exception cref="PgProtocolException">The length is impossible, or above the limit.</exception>
    internal bool TryRead(out byte type, out ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<byte> span = _span;
        if (span.Length >= HeaderBytes)
        {
            int total = TotalBytes(span);
            if (span.Length >= total)
            {
                type = span[0];
                body = span[HeaderBytes..total];
                _span = span[total..];
                _spanConsumed += total;
                return true;
            }
        }

        return TryReadAcrossBuffers(out type, out body);
    }

    private bool TryReadAcrossBuffers(out byte type, out ReadOnlySpan<byte> body)
    {
        type = 0;
        body = default;
        _rest = _rest.Slice(_spanConsumed);
        _spanConsumed = 0;
        _span = _rest.FirstSpan;
        if (_rest.Length < HeaderBytes)
        {
            return false;
        }

        Span<byte> header = stackalloc byte[HeaderBytes];
        _rest.Slice(0, HeaderBytes).CopyTo(header);
        int total = TotalBytes(header);
        if (_rest.Length < total)
        {
            return false;
        }

        type = header[0];
        ReadOnlySequence<byte> message = _rest.Slice(HeaderBytes, total - HeaderBytes);
        Span<byte> copy = _scratch.Rent(total - HeaderBytes);
        message.CopyTo(copy);
        body = copy;
        _rest = _rest.Slice(total);
        _span = _rest.FirstSpan;
        return true;
    }

    private readonly int TotalBytes(ReadOnlySpan<byte> header)
    {
        uint length = BinaryPrimitives.ReadUInt32BigEndian(header[1..]);
        if (length - 4 > (uint)_scratch.MaxMessageBytes && _scratch.Passes(header[0], length))
        {
            return int.MaxValue;
        }

        return (int)length + 1;
    }
}
