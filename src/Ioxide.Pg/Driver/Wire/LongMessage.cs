using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>A message that is too long to wait for in the receive buffer. One per connection.</summary>
/// <remarks>
/// <para>A row is gathered as it arrives and then read in place: one copy, and no more memory than the row and the arrived part of the next.
/// A row above the limit is skipped. If its command takes rows in pieces, a row above 1 MiB is passed on as it arrives. COPY data has no
/// meaningful boundaries: it is passed on in pieces, each as a message of its own.</para>
/// <para>Nothing is allocated for a length that a peer only claims: the buffer grows with the bytes that have arrived.</para>
/// </remarks>
internal sealed class LongMessage(MessageScratch scratch)
{
    /// <summary>A message up to this length is left in the receive buffer until it is complete.</summary>
    internal const int ThresholdBytes = 128 * 1024;

    /// <summary>A row up to this length is gathered, also where its command takes longer ones in pieces.</summary>
    internal const int MaxGatheredRowBytes = 1024 * 1024;

    private const int FirstBytes = 256 * 1024;
    private const int PieceBytes = 64 * 1024;

    private byte[] _buffer = [];
    private int _filled;
    private int _missing;
    private Kind _kind;

    private enum Kind
    {
        None,
        Gathered,
        Pieces,
        RowPieces,
        Skipped,
    }

    /// <summary>A message has begun and is not complete.</summary>
    internal bool IsActive => _kind != Kind.None;

    /// <summary>It is a row that is passed on by <see cref="TakeRow"/>.</summary>
    internal bool IsRowInPieces => _kind == Kind.RowPieces;

    /// <summary>No part of it was taken yet.</summary>
    internal bool IsAtStart => _filled == 0;

    /// <summary>The length of a row that is skipped; 0: the row is read.</summary>
    internal int SkippedBytes { get; private set; }

    /// <summary>Begins a message that is incomplete in the buffer, or too long. False: it is neither, or not known yet.</summary>
    /// <param name="received">Begins with the message.</param>
    /// <param name="takesRowPieces">The current command takes rows in pieces.</param>
    internal bool TryBegin(in ReadOnlySequence<byte> received, bool takesRowPieces)
    {
        if (received.Length < MessageReader.HeaderBytes)
        {
            return false;
        }

        Span<byte> header = stackalloc byte[MessageReader.HeaderBytes];
        received.Slice(0, MessageReader.HeaderBytes).CopyTo(header);
        uint length = BinaryPrimitives.ReadUInt32BigEndian(header[1..]);
        bool isTooLong = scratch.Passes(header[0], length);
        int total = (int)length + 1;
        bool isInPieces = takesRowPieces && header[0] == BackendMessage.DataRow && (isTooLong || total > MaxGatheredRowBytes);
        if (!isTooLong && (total <= ThresholdBytes || received.Length >= total))
        {
            return false;
        }

        _filled = 0;
        _missing = total;
        _kind = isInPieces ? Kind.RowPieces
            : header[0] == BackendMessage.CopyData ? Kind.Pieces
            : isTooLong ? Kind.Skipped : Kind.Gathered;
        SkippedBytes = _kind == Kind.Skipped ? total : 0;
        return true;
    }

    /// <summary>Takes the arrived part of the message.</summary>
    /// <param name="received">On return, the bytes of the next message.</param>
    /// <returns>The message, or a piece of it as a message; empty while there is none, or if it is skipped.</returns>
    internal ReadOnlySequence<byte> Take(ref ReadOnlySequence<byte> received)
    {
        if (_kind == Kind.Pieces)
        {
            return TakePiece(ref received);
        }

        int count = (int)Math.Min(_missing, received.Length);
        if (_kind == Kind.Gathered)
        {
            MakeRoom(_filled + count);
            received.Slice(0, count).CopyTo(_buffer.AsSpan(_filled));
            _filled += count;
        }

        received = received.Slice(count);
        _missing -= count;
        if (_missing > 0)
        {
            return default;
        }

        bool isGathered = _kind == Kind.Gathered;
        _kind = Kind.None;
        return isGathered ? new ReadOnlySequence<byte>(_buffer, 0, _filled) : default;
    }

    /// <summary>Takes the header of a row that is passed on in pieces.</summary>
    /// <returns>Bytes of the row's body.</returns>
    internal int TakeHeader(ref ReadOnlySequence<byte> received)
    {
        received = received.Slice(MessageReader.HeaderBytes);
        _missing -= MessageReader.HeaderBytes;
        _filled = MessageReader.HeaderBytes;
        return _missing;
    }

    /// <summary>Takes the next piece of a row's body in place: the arrived bytes, up to 64 KiB.</summary>
    /// <param name="received">On return, the bytes after the piece.</param>
    internal ReadOnlySequence<byte> TakeRow(ref ReadOnlySequence<byte> received)
    {
        int count = (int)Math.Min(Math.Min(_missing, PieceBytes), received.Length);
        ReadOnlySequence<byte> piece = received.Slice(0, count);
        received = received.Slice(count);
        _missing -= count;
        if (_missing == 0)
        {
            _kind = Kind.None;
        }

        return piece;
    }

    /// <summary>Releases the memory. Called when no row in it is read any more.</summary>
    internal void Release()
    {
        if (_kind == Kind.None)
        {
            _buffer = [];
        }
    }

    private ReadOnlySequence<byte> TakePiece(ref ReadOnlySequence<byte> received)
    {
        if (IsAtStart)
        {
            // The whole message's own header.
            TakeHeader(ref received);
        }

        int count = (int)Math.Min(Math.Min(_missing, PieceBytes), received.Length);
        if (count == 0)
        {
            return default;
        }

        MakeRoom(MessageReader.HeaderBytes + count);
        _buffer[0] = BackendMessage.CopyData;
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(1), sizeof(int) + count);
        received.Slice(0, count).CopyTo(_buffer.AsSpan(MessageReader.HeaderBytes));
        received = received.Slice(count);
        _missing -= count;
        if (_missing == 0)
        {
            _kind = Kind.None;
        }

        return new ReadOnlySequence<byte>(_buffer, 0, MessageReader.HeaderBytes + count);
    }

    private void MakeRoom(int lengthBytes)
    {
        if (lengthBytes <= _buffer.Length)
        {
            return;
        }

        // No longer than the message, and at most twice what has arrived.
        int total = _kind == Kind.Pieces ? MessageReader.HeaderBytes + PieceBytes : _filled + _missing;
        long wanted = Math.Max(FirstBytes, Math.Max(lengthBytes, 2L * _filled));
        byte[] larger = GC.AllocateUninitializedArray<byte>((int)Math.Min(wanted, total));
        _buffer.AsSpan(0, _kind == Kind.Pieces ? 0 : _filled).CopyTo(larger);
        _buffer = larger;
    }
}
