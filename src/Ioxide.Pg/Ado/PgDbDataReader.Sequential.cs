using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>Sequential columns (<see cref="System.Data.CommandBehavior.SequentialAccess"/>): a value is passed on as it arrives.</summary>
/// <remarks>
/// A column cannot be read again after the reader has left it. A column that was read in parts, or tested for NULL, can be read again,
/// but only forward of the bytes that were already read. A NULL has no bytes, and can be read any number of times.
/// </remarks>
public sealed partial class PgDbDataReader
{
    private const int TextBufferBytes = 8 * 1024;

    private static readonly Encoding s_utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    private readonly bool _isSequential;

    /// <summary>The length of the value that <see cref="GetStream"/> opened, in bytes.</summary>
    internal int StreamBytes => Math.Max(_at.ValueBytes, 0) - _at.PrefixBytes;

    /// <summary>The number of bytes that were read.</summary>
    internal int StreamPosition => _at.ValuePassed - _at.PrefixBytes;

    /// <summary>Reads the next bytes of the value; 0 at its end.</summary>
    internal int ReadValue(Span<byte> target)
    {
        int count = 0;
        while (!target.IsEmpty && (count = CopyValue(target, out Step step)) == 0 && step == Step.More)
        {
            FetchRow();
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
            if (!await FetchAsync(cancellationToken).ConfigureAwait(false))
            {
                throw Ended();
            }

            count = CopyValue(target.Span, out step);
        }
        while (count == 0 && step == Step.More);
        return count;
    }

    /// <summary>Moves to a column whose whole value is read.</summary>
    private FieldValue At(int ordinal)
    {
        if (_isSequential)
        {
            MoveTo(ordinal, mayAskAgain: false);
            Gather(ordinal);
        }

        return FieldAt(ordinal);
    }

    private bool IsNullInOrder(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: true);
        return _at.ValueBytes < 0;
    }

    private async Task<bool> IsNullInOrderAsync(int ordinal, CancellationToken cancellationToken)
    {
        await MoveToAsync(ordinal, mayAskAgain: true, cancellationToken).ConfigureAwait(false);
        return _at.ValueBytes < 0;
    }

    private async Task<T> FieldValueInOrderAsync<T>(int ordinal, CancellationToken cancellationToken)
    {
        await MoveToAsync(ordinal, mayAskAgain: false, cancellationToken).ConfigureAwait(false);
        bool isText = typeof(T) == typeof(TextReader);
        if ((typeof(T) == typeof(Stream) && HasOwnBytes(ordinal)) || (isText && IsUtf8(ordinal)))
        {
            while (StepToStart(ordinal) == Step.More)
            {
                await FetchRowAsync(cancellationToken).ConfigureAwait(false);
            }

            return isText ? (T)(object)OpenText(ordinal) : (T)(object)OpenStream(ordinal);
        }

        while (StepToWhole(ordinal) == Step.More)
        {
            await FetchRowAsync(cancellationToken).ConfigureAwait(false);
        }

        return typeof(T) == typeof(Stream) ? (T)(object)WholeStream(ordinal)
            : isText ? (T)(object)new StringReader(FieldAt(ordinal).Text())
            : FieldAt(ordinal).As<T>();
    }

    private long BytesInOrder(int ordinal, long dataOffset, bool isRead, Span<byte> target)
    {
        MoveTo(ordinal, mayAskAgain: true);
        ThrowIfNull(ordinal);
        if (!HasOwnBytes(ordinal))
        {
            Gather(ordinal);
            ReadOnlySpan<byte> bytes = FieldAt(ordinal).Bytes();
            return isRead ? Copy(bytes, dataOffset, target) : bytes.Length;
        }

        Start(ordinal);
        if (!isRead)
        {
            return StreamBytes;
        }

        RequireForward(StreamPosition, dataOffset);
        while (StreamPosition < dataOffset && SkipValue((int)Math.Min(dataOffset - StreamPosition, int.MaxValue)) is var step and not Step.No)
        {
            FetchWhere(step);
        }

        int count = 0;
        while (count < target.Length && ReadValue(target[count..]) is var read and > 0)
        {
            count += read;
        }

        return count;
    }

    private long CharsInOrder(int ordinal, long dataOffset, bool isRead, Span<char> target)
    {
        MoveTo(ordinal, mayAskAgain: true);
        ThrowIfNull(ordinal);
        if (!IsUtf8(ordinal))
        {
            Gather(ordinal);
            string text = FieldAt(ordinal).Text();
            return isRead ? Copy<char>(text, dataOffset, target) : text.Length;
        }

        Start(ordinal);
        if (_at.Text is null)
        {
            PassPrefix();
            _at.Text = new SequentialText();
        }

        SequentialText chars = _at.Text;
        if (!isRead)
        {
            // The length of a text is known at its end.
            return chars.Skip(this, long.MaxValue);
        }

        RequireForward(chars.Position, dataOffset);
        chars.Skip(this, dataOffset);
        return chars.Read(this, target);
    }

    private Stream StreamInOrder(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: false);
        ThrowIfNull(ordinal);
        if (!HasOwnBytes(ordinal))
        {
            Gather(ordinal);
            return WholeStream(ordinal);
        }

        Start(ordinal);
        return OpenStream(ordinal);
    }

    private TextReader TextInOrder(int ordinal)
    {
        MoveTo(ordinal, mayAskAgain: false);
        ThrowIfNull(ordinal);
        if (!IsUtf8(ordinal))
        {
            Gather(ordinal);
            return new StringReader(FieldAt(ordinal).Text());
        }

        Start(ordinal);
        return OpenText(ordinal);
    }

    private ColumnStream OpenStream(int ordinal)
    {
        ThrowIfNull(ordinal);
        PassPrefix();
        return _at.Stream = new ColumnStream(this);
    }

    private void PassPrefix()
    {
        if (_at.ValuePassed < _at.PrefixBytes)
        {
            // It was examined, so it is available.
            Pass(_at.PrefixBytes);
        }
    }

    private StreamReader OpenText(int ordinal)
        => new(OpenStream(ordinal), s_utf8, detectEncodingFromByteOrderMarks: false, TextBufferBytes);

    private MemoryStream WholeStream(int ordinal) => new(FieldAt(ordinal).Bytes().ToArray(), writable: false);

    /// <summary>Whether the bytes of the value are the received bytes.</summary>
    private bool HasOwnBytes(int ordinal)
        => _shape.Columns.TypeIds[ordinal] != PgTypeId.Bytea || _shape.Columns.Formats[ordinal] == PgFormat.Binary;

    /// <summary>Whether the value is read as text, and its bytes are that text.</summary>
    private bool IsUtf8(int ordinal)
    {
        uint type = _shape.Columns.TypeIds[ordinal];
        return _shape.Readers[ordinal].Type == typeof(string) && type != PgTypeId.InternalChar
            && (_shape.Columns.Formats[ordinal] == PgFormat.Text
                || PgTypeTable.KindOf(type) is PgTypeKind.Text or PgTypeKind.Json or PgTypeKind.Jsonb);
    }
}
