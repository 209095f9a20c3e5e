using System.Buffers.Binary;
using System.Data.Common;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>
/// A row whose columns are read in their order (<see cref="System.Data.CommandBehavior.SequentialAccess"/>): the column, the position in its
/// value, and the streams over it, which pass the value on as it arrives.
/// </summary>
/// <remarks>
/// <para>A column cannot be read again after the reader has left it. A column that was read in parts, or tested for NULL, can be read again,
/// but only forward of the bytes that were already read. A NULL has no bytes, and can be read any number of times.</para>
/// <para>A short row is whole in its chunk. In a long one (<see cref="RowChunk"/>) the cursor is at an entry: the row moves to a column, then
/// through the pieces of its value, and fetches the next chunk if there is no entry.</para>
/// </remarks>
/// <param name="rows">The cursor, which says when the row is left.</param>
/// <param name="owner">The reader: names the columns in messages.</param>
[SuppressMessage("Design", "CA1001", Justification = "The stream is disposed with its column.")]
internal sealed class SequentialRow(RowCursor rows, DbDataReader owner)
{
    // The memory kept for the next value that is read whole.
    private const int KeptBytes = 64 * 1024;
    private const int FirstBytes = 256 * 1024;
    private const int TextBufferBytes = 8 * 1024;

    private static readonly int[] s_firstOffset = new int[ResultColumns.MaxColumns];
    private static readonly Encoding s_utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    private int _column = -1; // -1 before the first column.
    private int _valueBytes; // -1 for NULL.
    private int _valuePassed; // The bytes that were read or skipped.
    private int _valueStart; // Where the value of a short row begins in the row.
    private int _pieceLeft; // The rest of the current piece of a long row's value.
    private int _prefixBytes; // The length of a version byte of the wire format before the value; -1 while it is not known.
    private bool _mayAskAgain;
    private byte[] _gathered = []; // A value that is read whole: its length, as in a row, then its bytes.
    private bool _isGathered;
    private SequentialText? _text;
    private ColumnStream? _stream;

    /// <summary>The length of the value that a stream was opened on, in bytes.</summary>
    internal int StreamBytes => Math.Max(_valueBytes, 0) - _prefixBytes;

    /// <summary>The number of bytes of it that were read.</summary>
    internal int StreamPosition => _valuePassed - _prefixBytes;

    /// <summary>Reads the next bytes of the value; 0 at its end.</summary>
    internal int ReadValue(Span<byte> target)
    {
        int count = 0;
        while (!target.IsEmpty && (count = CopyValue(target, out Step step)) == 0 && step == Step.More)
        {
            Fetch();
        }

        return count;
    }

    /// <inheritdoc cref="ReadValue"/>
    internal ValueTask<int> ReadValueAsync(Memory<byte> target, CancellationToken cancellationToken)
    {
        Step step = Step.No;
        int count = target.IsEmpty ? 0 : CopyValue(target.Span, out step);
        return count == 0 && step == Step.More ? ReadArrivingAsync(target, cancellationToken) : new ValueTask<int>(count);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadArrivingAsync(Memory<byte> target, CancellationToken cancellationToken)
    {
        int count;
        Step step;
        do
        {
            RequireMore(await rows.FetchAsync(cancellationToken).ConfigureAwait(false));
            count = CopyValue(target.Span, out step);
        }
        while (count == 0 && step == Step.More);
        return count;
    }

    /// <summary>Moves to a column whose whole value is read.</summary>
    internal FieldValue At(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: false);
        return Gather(ordinal);
    }

    internal bool IsNull(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: true);
        return _valueBytes < 0;
    }

    internal async Task<bool> IsNullAsync(int ordinal, CancellationToken cancellationToken)
    {
        await MoveToAsync(ordinal, mayAskAgain: true, cancellationToken).ConfigureAwait(false);
        return _valueBytes < 0;
    }

    internal async Task<T> ValueAsync<T>(int ordinal, CancellationToken cancellationToken)
    {
        await MoveToAsync(ordinal, mayAskAgain: false, cancellationToken).ConfigureAwait(false);
        bool isText = typeof(T) == typeof(TextReader);
        if ((typeof(T) == typeof(Stream) && rows.Shape.HasOwnBytes(ordinal)) || (isText && rows.Shape.IsUtf8(ordinal)))
        {
            while (StepToStart(ordinal) == Step.More)
            {
                await FetchAsync(cancellationToken).ConfigureAwait(false);
            }

            return isText ? (T)(object)OpenText(ordinal) : (T)(object)OpenStream(ordinal);
        }

        while (StepToWhole(ordinal) == Step.More)
        {
            await FetchAsync(cancellationToken).ConfigureAwait(false);
        }

        return typeof(T) == typeof(Stream) ? (T)(object)new MemoryStream(FieldAt(ordinal).Bytes().ToArray(), writable: false)
            : isText ? (T)(object)new StringReader(FieldAt(ordinal).Text())
            : FieldAt(ordinal).As<T>();
    }

    /// <summary>Copies bytes of a value, or says how many it has.</summary>
    internal long Bytes(int ordinal, long dataOffset, bool isRead, Span<byte> target)
    {
        MoveTo(ordinal, mayAskAgain: true);
        ThrowIfNull(ordinal);
        if (!rows.Shape.HasOwnBytes(ordinal))
        {
            ReadOnlySpan<byte> bytes = Gather(ordinal).Bytes();
            return isRead ? FieldValue.Copy(bytes, dataOffset, target) : bytes.Length;
        }

        Start(ordinal);
        if (!isRead)
        {
            return StreamBytes;
        }

        RequireForward(StreamPosition, dataOffset);
        while (StreamPosition < dataOffset && SkipValue((int)Math.Min(dataOffset - StreamPosition, int.MaxValue)) == Step.More)
        {
            Fetch();
        }

        int count = 0;
        while (count < target.Length && ReadValue(target[count..]) is var read and > 0)
        {
            count += read;
        }

        return count;
    }

    /// <summary>Copies characters of a text, or says how many it has.</summary>
    internal long Chars(int ordinal, long dataOffset, bool isRead, Span<char> target)
    {
        MoveTo(ordinal, mayAskAgain: true);
        ThrowIfNull(ordinal);
        if (!rows.Shape.IsUtf8(ordinal))
        {
            string text = Gather(ordinal).Text();
            return isRead ? FieldValue.Copy<char>(text, dataOffset, target) : text.Length;
        }

        Start(ordinal);
        if (_text is null)
        {
            PassPrefix();
            _text = new SequentialText(this);
        }

        if (!isRead)
        {
            // The length of a text is known at its end.
            return _text.Skip(long.MaxValue);
        }

        RequireForward(_text.Position, dataOffset);
        _text.Skip(dataOffset);
        return _text.Read(target);
    }

    internal Stream Stream(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: false);
        ThrowIfNull(ordinal);
        if (!rows.Shape.HasOwnBytes(ordinal))
        {
            return new MemoryStream(Gather(ordinal).Bytes().ToArray(), writable: false);
        }

        Start(ordinal);
        return OpenStream(ordinal);
    }

    internal TextReader Text(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: false);
        ThrowIfNull(ordinal);
        if (!rows.Shape.IsUtf8(ordinal))
        {
            return new StringReader(Gather(ordinal).Text());
        }

        Start(ordinal);
        return OpenText(ordinal);
    }

    /// <summary>The cursor leaves the row.</summary>
    internal void Leave()
    {
        LeaveColumn();
        _column = -1;
        _gathered = _gathered.Length > KeptBytes ? [] : _gathered;
    }

    private void MoveTo(int ordinal, bool mayAskAgain)
    {
        if (!TryStay(ordinal, mayAskAgain))
        {
            while (StepToColumn(ordinal) == Step.More)
            {
                Fetch();
            }
        }
    }

    private async ValueTask MoveToAsync(int ordinal, bool mayAskAgain, CancellationToken cancellationToken)
    {
        if (!TryStay(ordinal, mayAskAgain))
        {
            while (StepToColumn(ordinal) == Step.More)
            {
                await FetchAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private bool TryStay(int ordinal, bool mayAskAgain)
    {
        rows.RequireColumn(ordinal);
        bool isThere = ordinal == _column;
        if (ordinal < _column || (isThere && _valueBytes >= 0 && (!_mayAskAgain || (!mayAskAgain && _valuePassed > 0))))
        {
            throw new InvalidOperationException(
                $"Column {ordinal} cannot be read any more: the reader is at column {_column}. Under SequentialAccess the columns are read in " +
                "their order, each once. Read them so, or run the command without SequentialAccess.");
        }

        _mayAskAgain = mayAskAgain;
        return isThere;
    }

    /// <summary>Moves to a column, and drops everything before it.</summary>
    private Step StepToColumn(int ordinal)
    {
        LeaveColumn();
        if (!rows.IsLong)
        {
            _column = ordinal;
            int offset = rows.Offsets[ordinal];
            BeginValue(BinaryPrimitives.ReadInt32BigEndian(rows.Row[offset..]));
            _valueStart = offset + sizeof(int);
            return Step.Yes;
        }

        while (rows.TryTakeEntry(out byte kind, out int number))
        {
            Debug.Assert(kind is RowChunk.Value or RowChunk.Piece);
            if (kind == RowChunk.Piece)
            {
                rows.Skip(number);
            }
            else if (++_column == ordinal)
            {
                BeginValue(number);
                return Step.Yes;
            }
        }

        return Step.More;
    }

    private void BeginValue(int lengthBytes)
    {
        _valueBytes = lengthBytes;
        _valuePassed = 0;
        _prefixBytes = -1;
        _isGathered = false;
    }

    /// <summary>Detects a version byte before the value.</summary>
    private void Start(int ordinal)
    {
        while (StepToStart(ordinal) == Step.More)
        {
            Fetch();
        }
    }

    private Step StepToStart(int ordinal)
    {
        if (_prefixBytes < 0)
        {
            Step step = rows.Shape.MayHaveVersion(ordinal) ? StepToBytes() : Step.No;
            if (step == Step.More)
            {
                return step;
            }

            _prefixBytes = step == Step.Yes && Arrived()[0] == 1 ? 1 : 0;
        }

        return Step.Yes;
    }

    /// <summary>Moves to the next bytes of the value. No: the value is over.</summary>
    private Step StepToBytes()
    {
        if (_valuePassed >= _valueBytes)
        {
            return Step.No;
        }

        if (rows.IsLong && _pieceLeft == 0)
        {
            if (!rows.TryTakeEntry(out byte kind, out _pieceLeft))
            {
                return Step.More;
            }

            Debug.Assert(kind == RowChunk.Piece);
        }

        return Step.Yes;
    }

    /// <summary>The available bytes of the value.</summary>
    private ReadOnlySpan<byte> Arrived()
        => rows.IsLong ? rows.Next(_pieceLeft) : rows.Row.Slice(_valueStart + _valuePassed, _valueBytes - _valuePassed);

    private void Pass(int count)
    {
        _valuePassed += count;
        if (rows.IsLong)
        {
            rows.Skip(count);
            _pieceLeft -= count;
        }
    }

    /// <param name="target">Receives the available bytes.</param>
    /// <param name="step">More: none are available now. No: the value is over.</param>
    private int CopyValue(Span<byte> target, out Step step)
    {
        int count = 0;
        while ((step = StepToBytes()) == Step.Yes && count < target.Length)
        {
            ReadOnlySpan<byte> bytes = Arrived();
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
        int end = (int)Math.Min((long)_valuePassed + count, _valueBytes);
        Step step = Step.No;
        while (_valuePassed < end && (step = StepToBytes()) == Step.Yes)
        {
            Pass(Math.Min(Arrived().Length, end - _valuePassed));
        }

        return step == Step.More ? Step.More : Step.No;
    }

    private FieldValue Gather(int ordinal)
    {
        while (StepToWhole(ordinal) == Step.More)
        {
            Fetch();
        }

        return FieldAt(ordinal);
    }

    /// <summary>Assembles a value of a long row. Memory grows with the bytes that arrive, not with the announced length.</summary>
    private Step StepToWhole(int ordinal)
    {
        if (!rows.IsLong || _isGathered)
        {
            return Step.Yes;
        }

        int limit = rows.Connection.Source.Source.Options.MaxMessageBytes;
        if (_valueBytes > limit)
        {
            throw new PgResultTooLargeException(rows.Shape.Names[ordinal], _valueBytes, limit);
        }

        int total = sizeof(int) + Math.Max(_valueBytes, 0);
        Step step;
        do
        {
            int filled = sizeof(int) + _valuePassed;
            if (filled >= _gathered.Length)
            {
                byte[] larger = GC.AllocateUninitializedArray<byte>((int)Math.Min(Math.Max(FirstBytes, 2L * filled), total));
                _gathered.AsSpan(0, Math.Min(filled, _gathered.Length)).CopyTo(larger);
                _gathered = larger;
            }

            CopyValue(_gathered.AsSpan(filled, Math.Min(_gathered.Length, total) - filled), out step);
        }
        while (step == Step.Yes);
        if (step == Step.No)
        {
            BinaryPrimitives.WriteInt32BigEndian(_gathered, _valueBytes);
            _isGathered = true;
        }

        return step;
    }

    /// <summary>The value of the column: of a long row the assembled one.</summary>
    private FieldValue FieldAt(int ordinal)
        => rows.IsLong
            ? new FieldValue(new PgRow(_gathered, s_firstOffset, rows.Shape.Columns)[ordinal], rows.Shape.Readers[ordinal], owner, ordinal)
            : rows.FieldAt(ordinal, owner);

    private void LeaveColumn()
    {
        rows.Skip(_pieceLeft);
        _pieceLeft = 0;
        _text = null;
        _stream?.Dispose();
        _stream = null;
    }

    /// <summary>Fetches more of a row that is not complete.</summary>
    private void Fetch() => RequireMore(rows.Fetch());

    private async ValueTask FetchAsync(CancellationToken cancellationToken)
        => RequireMore(await rows.FetchAsync(cancellationToken).ConfigureAwait(false));

    private static void RequireMore(bool hasChunk)
    {
        if (!hasChunk)
        {
            throw new InvalidOperationException("The command ended before the row did.");
        }
    }

    private void ThrowIfNull(int ordinal)
    {
        if (_valueBytes < 0)
        {
            throw new FieldValue(PgField.Null(rows.Shape.Columns.TypeIds[ordinal]), rows.Shape.Readers[ordinal], owner, ordinal).Null();
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

    private ColumnStream OpenStream(int ordinal)
    {
        ThrowIfNull(ordinal);
        PassPrefix();
        return _stream = new ColumnStream(this);
    }

    private StreamReader OpenText(int ordinal)
        => new(OpenStream(ordinal), s_utf8, detectEncodingFromByteOrderMarks: false, TextBufferBytes);

    private void PassPrefix()
    {
        if (_valuePassed < _prefixBytes)
        {
            // It was examined, so it is available.
            Pass(_prefixBytes);
        }
    }
}
