using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>The values of the row, with the conversions, refusals and exceptions of Npgsql.</summary>
public sealed partial class PgDbDataReader
{
    /// <inheritdoc/>
    public override bool IsDBNull(int ordinal) => _rows.Sequential is { } row ? row.IsNull(ordinal) : _rows.IsNull(ordinal);

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken)
            : _rows.Sequential is { } row ? row.IsNullAsync(ordinal, cancellationToken)
            : Task.FromResult(IsDBNull(ordinal));

    /// <summary>Returns the value in the type that fits the column best; <see cref="DBNull"/> for NULL.</summary>
    /// <exception cref="OverflowException">A number is outside the range of <see cref="decimal"/>; use <see cref="PgNumeric"/>.</exception>
    /// <exception cref="InvalidCastException">A date outside the years 1 to 9999; use <see cref="PgDate"/> or <see cref="PgTimestamp"/>.</exception>
    public override object GetValue(int ordinal) => At(ordinal).Object();

    /// <inheritdoc/>
    public override int GetValues(object[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        _rows.RequireRow();
        int count = Math.Min(values.Length, FieldCount);
        for (int i = 0; i < count; i++)
        {
            values[i] = GetValue(i);
        }

        return count;
    }

    /// <summary>Returns the value as <typeparamref name="T"/>, with the codec of that type.</summary>
    /// <exception cref="InvalidCastException">The column is NULL and the type cannot be null, or no codec reads the column as that type.</exception>
    /// <exception cref="OverflowException">The number does not fit the type.</exception>
    public override T GetFieldValue<T>(int ordinal)
        => typeof(T) == typeof(Stream) ? (T)(object)GetStream(ordinal)
            : typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal)
            : At(ordinal).As<T>();

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<T>(cancellationToken)
            : _rows.Sequential is { } row ? row.ValueAsync<T>(ordinal, cancellationToken)
            : Task.FromResult(GetFieldValue<T>(ordinal));

    /// <inheritdoc/>
    public override bool GetBoolean(int ordinal) => At(ordinal).Convert<bool>();

    /// <inheritdoc/>
    public override byte GetByte(int ordinal) => At(ordinal).Number<byte>();

    /// <inheritdoc/>
    public override short GetInt16(int ordinal) => At(ordinal).Number<short>();

    /// <inheritdoc/>
    public override int GetInt32(int ordinal) => At(ordinal).Number<int>();

    /// <inheritdoc/>
    public override long GetInt64(int ordinal) => At(ordinal).Number<long>();

    /// <inheritdoc/>
    public override float GetFloat(int ordinal) => At(ordinal).Number<float>();

    /// <inheritdoc/>
    public override double GetDouble(int ordinal) => At(ordinal).Number<double>();

    /// <inheritdoc/>
    public override decimal GetDecimal(int ordinal) => At(ordinal).Number<decimal>();

    /// <inheritdoc/>
    public override Guid GetGuid(int ordinal) => At(ordinal).Convert<Guid>();

    /// <inheritdoc/>
    public override DateTime GetDateTime(int ordinal) => At(ordinal).Convert<DateTime>();

    /// <summary>Returns the text of a text, json, jsonb, xml, bit or <c>"char"</c> column, or of a type that arrives as text only.</summary>
    /// <exception cref="InvalidCastException">
    /// The column is NULL, or of another type: cast it to <c>text</c> in the statement, or use <see cref="GetValue"/>.
    /// </exception>
    public override string GetString(int ordinal) => At(ordinal).Text();

    /// <summary>Returns the first character of a text.</summary>
    /// <exception cref="InvalidCastException">The column is NULL, empty, or not text.</exception>
    public override char GetChar(int ordinal) => At(ordinal).Char();

    /// <summary>Copies bytes of a value: the value itself for bytea and text, the binary form for other types.</summary>
    /// <param name="ordinal">The column, from 0.</param>
    /// <param name="dataOffset">Bytes of the value to skip.</param>
    /// <param name="buffer">The destination; null requests the value's length.</param>
    /// <param name="bufferOffset">The offset in <paramref name="buffer"/>.</param>
    /// <param name="length">The maximum number of bytes to copy.</param>
    /// <returns>The number of bytes copied, or the value's length.</returns>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        if (_rows.Sequential is { } row)
        {
            Span<byte> target = buffer is null ? default : FieldValue.Target(dataOffset, buffer, bufferOffset, length);
            return row.Bytes(ordinal, dataOffset, buffer is not null, target);
        }

        ReadOnlySpan<byte> bytes = At(ordinal).Bytes();
        return buffer is null ? bytes.Length : FieldValue.Copy(bytes, dataOffset, FieldValue.Target(dataOffset, buffer, bufferOffset, length));
    }

    /// <summary>Copies characters of a text.</summary>
    /// <param name="ordinal">The column, from 0.</param>
    /// <param name="dataOffset">Characters to skip.</param>
    /// <param name="buffer">The destination; null requests the text's length.</param>
    /// <param name="bufferOffset">The offset in <paramref name="buffer"/>.</param>
    /// <param name="length">The maximum number of characters to copy.</param>
    /// <returns>The number of characters copied, or the text's length.</returns>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        if (_rows.Sequential is { } row)
        {
            Span<char> room = buffer is null ? default : FieldValue.Target(dataOffset, buffer, bufferOffset, length);
            return row.Chars(ordinal, dataOffset, buffer is not null, room);
        }

        string text = At(ordinal).Text();
        if (buffer is null)
        {
            return text.Length;
        }

        Span<char> target = FieldValue.Target(dataOffset, buffer, bufferOffset, length);
        return dataOffset <= text.Length
            ? FieldValue.Copy<char>(text, dataOffset, target)
            : throw new EndOfStreamException($"The text has {text.Length} characters, and is asked for those behind {dataOffset}.");
    }

    /// <summary>Returns a stream of the value's bytes, as <see cref="GetBytes"/> counts them.</summary>
    /// <remarks>
    /// The stream has its own memory, and is disposed with its row. One value has one stream at a time. Under
    /// <see cref="CommandBehavior.SequentialAccess"/> it reads from the connection, forward only, until the reader moves to the next column or row,
    /// or ends: each of these disposes it.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The stream of this value that was returned before is not disposed.</exception>
    public override Stream GetStream(int ordinal)
        => _rows.Sequential is { } row ? row.Stream(ordinal) : _rows.Lend(ordinal, new MemoryStream(At(ordinal).Bytes().ToArray(), writable: false));

    /// <summary>Returns a reader of a text. Under <see cref="CommandBehavior.SequentialAccess"/> it behaves like <see cref="GetStream"/>.</summary>
    public override TextReader GetTextReader(int ordinal)
        => _rows.Sequential is { } row ? row.Text(ordinal) : _rows.Lend(ordinal, new LentText(At(ordinal).Text()));

    /// <summary>
    /// A reader of the fields of a record or composite, or of an array of them. It is closed when the row is left or another one is requested.
    /// </summary>
    /// <exception cref="InvalidCastException">The column is NULL, or its type has no fields.</exception>
    protected override DbDataReader GetDbDataReader(int ordinal)
    {
        TypeCatalog types = _rows.Connection.Source.Types;
        NestedRows rows = NestedRows.Of(At(ordinal).NotNull(), types);
        _rows.TakeBack();
        return _rows.Lend(ordinal, new PgDbNestedDataReader(rows, types, depth: 1));
    }

    /// <summary>The value of a column, which is read whole.</summary>
    private FieldValue At(int ordinal) => _rows.Sequential is { } row ? row.At(ordinal) : _rows.FieldAt(ordinal, this);
}
