using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>A message that is too long to wait for in the receive buffer. One a connection.</summary>
/// <remarks>
/// <para>A row is gathered as it comes and read in place then: one copy, and no more memory than the row and what arrived of the next.
/// A row above the limit is skipped. A row whose command takes rows in pieces is passed on as it comes, whatever its length. Data of a
/// COPY has no boundaries that matter: it is passed on in pieces, each as a message of its own.</para>
/// <para>Nothing is allocated for what a peer only claims: the buffer grows with what has arrived.</para>
/// </remarks>
internal sealed class LongMessage(MessageScratch scratch)
{
    /// <summary>A message up to this length is left in the receive buffer until it is complete.</summary>
    internal const int ThresholdBytes = 128 * 1024;

    /// <summary>The same for a row that is passed on in pieces.</summary>
    internal const int RowPiecesThresholdBytes = 64 * 1024;

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

    /// <summary>A message was begun and is not over.</summary>
    internal bool IsActive => _kind != Kind.None;

    /// <summary>It is a row that is passed on by <see cref="TakeRow"/>.</summary>
    internal bool IsRowInPieces => _kind == Kind.RowPieces;

    /// <summary>Nothing of it was taken yet.</summary>
    internal bool IsAtStart => _filled == 0;

    /// <summary>It is a row that is not read, of so many bytes; 0: it is read.</summary>
    internal int SkippedBytes { get; private set; }

    /// <summary>Begins with a message that is not complete in the buffer, or too long. False: it is neither, or not known yet.</summary>
    /// <param name="received">The message comes first in it.</param>
    /// <param name="takesRowPieces">A row goes to a command that takes it in pieces.</param>
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
        bool isInPieces = takesRowPieces && header[0] == BackendMessage.DataRow;
        if (!isTooLong && (total <= (isInPieces ? RowPiecesThresholdBytes : ThresholdBytes) || received.Length >= total))
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

    /// <summary>Takes what has arrived of it.</summary>
    /// <param name="received">Left with what belongs to the next message.</param>
    /// <returns>The message, or a piece of it as a message; empty while there is none, or where it is skipped.</returns>
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

    /// <summary>Takes the next piece of a row's body, where it lies: what has arrived, up to 64 KiB.</summary>
    /// <param name="received">Left with what is behind the piece.</param>
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

    /// <summary>Lets go of the memory. Called where no row in it is read any more.</summary>
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
