using System.Buffers.Binary;
using System.Diagnostics;

namespace Ioxide.Pg.Data;

/// <summary>The reader's position in a row that is read sequentially.</summary>
/// <remarks>
/// A short row is whole in its chunk. In a long one (<see cref="RowChunk"/>) the reader is at an entry: it moves to a column, then through
/// the pieces of its value, and fetches the next chunk if there is no entry. A step that needs more data reports that, and is repeated
/// after the fetch, by a caller that blocks or by one that awaits.
/// </remarks>
public sealed partial class PgDbDataReader
{
    // The memory kept for the next value that is read whole.
    private const int KeptBytes = 64 * 1024;
    private const int FirstBytes = 256 * 1024;

    private static readonly int[] s_firstOffset = new int[ResultColumns.MaxColumns];

    // The row consists of entries, and its end is not reached.
    private bool _isLong;
    private readonly Place _at = null!; // Created for a sequential reader.

    private void MoveTo(int ordinal, bool mayAskAgain)
    {
        if (!TryStay(ordinal, mayAskAgain))
        {
            while (StepToColumn(ordinal) == Step.More)
            {
                FetchRow();
            }
        }
    }

    private async ValueTask MoveToAsync(int ordinal, bool mayAskAgain, CancellationToken cancellationToken)
    {
        if (!TryStay(ordinal, mayAskAgain))
        {
            while (StepToColumn(ordinal) == Step.More)
            {
                await FetchRowAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private bool TryStay(int ordinal, bool mayAskAgain)
    {
        RequireColumn(ordinal);
        bool isThere = ordinal == _at.Column;
        if (ordinal < _at.Column || (isThere && _at.ValueBytes >= 0 && (!_at.MayAskAgain || (!mayAskAgain && _at.ValuePassed > 0))))
        {
            throw new InvalidOperationException(
                $"Column {ordinal} cannot be read any more: the reader is at column {_at.Column}. Under SequentialAccess the columns are read in " +
                "their order, each once. Read them so, or run the command without SequentialAccess.");
        }

        _at.MayAskAgain = mayAskAgain;
        return isThere;
    }

    /// <summary>Moves to a column, and drops everything before it.</summary>
    private Step StepToColumn(int ordinal)
    {
        LeaveColumn();
        if (!_isLong)
        {
            _at.Column = ordinal;
            int offset = _rowStart + _roundTrip.RowLayout.Offsets[ordinal];
            BeginValue(BinaryPrimitives.ReadInt32BigEndian(_bytes.AsSpan(offset)));
            _at.ValueStart = offset + sizeof(int);
            return Step.Yes;
        }

        while (_position < _length)
        {
            int number = RowChunk.NumberAt(_bytes, _position);
            bool isValue = _bytes[_position] == RowChunk.Value;
            Debug.Assert(isValue || _bytes[_position] == RowChunk.Piece);
            _position += RowChunk.HeaderBytes + (isValue ? 0 : number);
            if (isValue && ++_at.Column == ordinal)
            {
                BeginValue(number);
                return Step.Yes;
            }
        }

        return Step.More;
    }

    private void BeginValue(int lengthBytes)
    {
        _at.ValueBytes = lengthBytes;
        _at.ValuePassed = 0;
        _at.PrefixBytes = -1;
        _at.IsGathered = false;
    }

    /// <summary>Detects a version byte before the value.</summary>
    private void Start(int ordinal)
    {
        while (StepToStart(ordinal) == Step.More)
        {
            FetchRow();
        }
    }

    private Step StepToStart(int ordinal)
    {
        if (_at.PrefixBytes < 0)
        {
            bool mayHaveVersion = _shape.Columns.TypeIds[ordinal] == PgTypeId.Jsonb && _shape.Columns.Formats[ordinal] == PgFormat.Binary;
            Step step = mayHaveVersion ? StepToBytes() : Step.No;
            if (step == Step.More)
            {
                return step;
            }

            _at.PrefixBytes = step == Step.Yes && Bytes()[0] == 1 ? 1 : 0;
        }

        return Step.Yes;
    }

    /// <summary>Moves to the next bytes of the value. No: the value is over.</summary>
    private Step StepToBytes()
    {
        if (_at.ValuePassed >= _at.ValueBytes)
        {
            return Step.No;
        }

        if (_isLong && _at.PieceLeft == 0)
        {
            if (_position >= _length)
            {
                return Step.More;
            }

            Debug.Assert(_bytes[_position] == RowChunk.Piece);
            _at.PieceLeft = RowChunk.NumberAt(_bytes, _position);
            _position += RowChunk.HeaderBytes;
        }

        return Step.Yes;
    }

    /// <summary>The available bytes of the value.</summary>
    private ReadOnlySpan<byte> Bytes()
        => _isLong ? _bytes.AsSpan(_position, _at.PieceLeft) : _bytes.AsSpan(_at.ValueStart + _at.ValuePassed, _at.ValueBytes - _at.ValuePassed);

    private void Pass(int count)
    {
        _at.ValuePassed += count;
        if (_isLong)
        {
            _position += count;
            _at.PieceLeft -= count;
        }
    }

    /// <param name="target">Receives the available bytes.</param>
    /// <param name="step">More: none are available now. No: the value is over.</param>
    private int CopyValue(Span<byte> target, out Step step)
    {
        int count = 0;
        while ((step = StepToBytes()) == Step.Yes && count < target.Length)
        {
            ReadOnlySpan<byte> bytes = Bytes();
            bytes = bytes[..Math.Min(bytes.Length, target.Length - count)];
            bytes.CopyTo(target[count..]);
            Pass(bytes.Length);
            count += bytes.Length;
        }

        return count;
    }

    /// <returns>More: some of them have not arrived. No: they were skipped, or the value is over.</returns>
    private Step SkipValue(int count)
    {
        int end = (int)Math.Min((long)_at.ValuePassed + count, _at.ValueBytes);
        Step step = Step.No;
        while (_at.ValuePassed < end && (step = StepToBytes()) == Step.Yes)
        {
            Pass(Math.Min(Bytes().Length, end - _at.ValuePassed));
        }

        return step == Step.More ? Step.More : Step.No;
    }

    private void Gather(int ordinal)
    {
        while (StepToWhole(ordinal) == Step.More)
        {
            FetchRow();
        }
    }

    /// <summary>Assembles a value of a long row. Memory grows with the bytes that arrive, not with the announced length.</summary>
    private Step StepToWhole(int ordinal)
    {
        if (!_isLong || _at.IsGathered)
        {
            return Step.Yes;
        }

        int limit = _connection.Source.Source.Options.MaxMessageBytes;
        if (_at.ValueBytes > limit)
        {
            throw new PgResultTooLargeException(_shape.Names[ordinal], _at.ValueBytes, limit);
        }

        int total = sizeof(int) + Math.Max(_at.ValueBytes, 0);
        Step step;
        do
        {
            int filled = sizeof(int) + _at.ValuePassed;
            if (filled >= _at.Gathered.Length)
            {
                byte[] larger = GC.AllocateUninitializedArray<byte>((int)Math.Min(Math.Max(FirstBytes, 2L * filled), total));
                _at.Gathered.AsSpan(0, Math.Min(filled, _at.Gathered.Length)).CopyTo(larger);
                _at.Gathered = larger;
            }

            CopyValue(_at.Gathered.AsSpan(filled, Math.Min(_at.Gathered.Length, total) - filled), out step);
        }
        while (step == Step.Yes);
        if (step == Step.No)
        {
            BinaryPrimitives.WriteInt32BigEndian(_at.Gathered, _at.ValueBytes);
            _at.IsGathered = true;
        }

        return step;
    }

    /// <summary>A row that consists of the assembled value.</summary>
    private PgRow GatheredRow() => new(_at.Gathered, s_firstOffset, _shape.Columns);

    /// <summary>Skips the rest of the row.</summary>
    private Step StepOutOfRow()
    {
        LeaveRow();
        while (_isLong)
        {
            if (_position >= _length)
            {
                return Step.More;
            }

            byte kind = _bytes[_position];
            _isLong = kind != RowChunk.LongRowEnd;
            _position += RowChunk.HeaderBytes + (kind == RowChunk.Piece ? RowChunk.NumberAt(_bytes, _position) : 0);
        }

        return Step.No;
    }

    private void LeaveRow()
    {
        _rowLength = -1;
        TakeBack();
        if (_isSequential)
        {
            LeaveColumn();
            _at.Column = -1;
            _at.Gathered = _at.Gathered.Length > KeptBytes ? [] : _at.Gathered;
        }
    }

    private void LeaveColumn()
    {
        _position += _at.PieceLeft;
        _at.PieceLeft = 0;
        _at.Text = null;
        if (_at.Stream is { } stream)
        {
            _at.Stream = null;
            stream.Dispose();
        }
    }

    private void FetchWhere(Step step)
    {
        if (step == Step.More)
        {
            FetchRow();
        }
    }

    /// <summary>Fetches more of a row that is not complete.</summary>
    private void FetchRow()
    {
        if (!Fetch())
        {
            throw Ended();
        }
    }

    private async ValueTask FetchRowAsync(CancellationToken cancellationToken)
    {
        if (!await FetchAsync(cancellationToken).ConfigureAwait(false))
        {
            throw Ended();
        }
    }

    private void ThrowIfNull(int ordinal)
    {
        if (_at.ValueBytes < 0)
        {
            throw new FieldValue(PgField.Null(_shape.Columns.TypeIds[ordinal]), _shape.Readers[ordinal], this, ordinal).Null();
        }
    }

    private static void RequireForward(long position, long wanted)
    {
        if (wanted < position)
        {
            throw new InvalidOperationException(
                $"Position {wanted} of the value was passed: the reader is at {position}. Under SequentialAccess a value is read forward only.");
        }
    }

    private static InvalidOperationException Ended() => new("The command ended before the row did.");

    /// <summary>The reader's column and its position in the value.</summary>
    private sealed class Place
    {
        /// <summary>-1 before the first column.</summary>
        internal int Column { get; set; } = -1;

        /// <summary>The length of the value in bytes; -1 for NULL.</summary>
        internal int ValueBytes { get; set; }

        /// <summary>The bytes that were read or skipped.</summary>
        internal int ValuePassed { get; set; }

        /// <summary>Where the value of a short row begins in the chunk.</summary>
        internal int ValueStart { get; set; }

        /// <summary>The rest of the current piece of a long row's value.</summary>
        internal int PieceLeft { get; set; }

        internal bool MayAskAgain { get; set; }

        /// <summary>The length of a version byte of the wire format before the value; -1 while it is not known.</summary>
        internal int PrefixBytes { get; set; }

        /// <summary>A value that is read whole: its length, as in a row, then its bytes.</summary>
        internal byte[] Gathered { get; set; } = [];

        internal bool IsGathered { get; set; }

        internal SequentialText? Text { get; set; }

        internal ColumnStream? Stream { get; set; }
    }
}
