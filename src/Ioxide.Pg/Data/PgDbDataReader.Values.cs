using System.Data;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>The values of the row.</summary>
public sealed partial class PgDbDataReader
{
    /// <inheritdoc/>
    public override bool IsDBNull(int ordinal) => Row(ordinal).IsNull(ordinal);

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : Task.FromResult(IsDBNull(ordinal));

    /// <summary>The value as the type that fits the column best; <see cref="DBNull"/> for NULL.</summary>
    public override object GetValue(int ordinal)
    {
        PgField field = Row(ordinal)[ordinal];
        return field.IsNull ? DBNull.Value : _shape.Readers[ordinal].Read(field);
    }

    /// <inheritdoc/>
    public override int GetValues(object[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        int count = Math.Min(values.Length, FieldCount);
        for (int i = 0; i < count; i++)
        {
            values[i] = GetValue(i);
        }

        return count;
    }

    /// <summary>The value as a type of the caller's choice, by its codec.</summary>
    /// <exception cref="InvalidCastException">The column is NULL and the type cannot be, or no codec reads the one as the other.</exception>
    public override T GetFieldValue<T>(int ordinal)
    {
        PgRow row = Row(ordinal);
        if (typeof(T) == typeof(int))
        {
            int value = GetInt32(ordinal);
            return Unsafe.As<int, T>(ref value);
        }

        if (typeof(T) == typeof(object))
        {
            return (T)GetValue(ordinal);
        }

        if (row.IsNull(ordinal))
        {
            return OfNull<T>(ordinal);
        }

        if (typeof(T) == typeof(Stream))
        {
            return (T)(object)GetStream(ordinal);
        }

        if (typeof(T) == typeof(TextReader))
        {
            return (T)(object)GetTextReader(ordinal);
        }

        if (IsNumber<T>() && KindOf(ordinal) is PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 or PgTypeKind.Numeric)
        {
            return GetNumber<T>(ordinal);
        }

        return row.Get<T>(ordinal);
    }

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<T>(cancellationToken) : Task.FromResult(GetFieldValue<T>(ordinal));

    /// <inheritdoc/>
    public override bool GetBoolean(int ordinal) => Value(ordinal).GetBoolean(ordinal);

    /// <inheritdoc/>
    public override byte GetByte(int ordinal) => GetInteger<byte>(ordinal);

    /// <inheritdoc/>
    public override short GetInt16(int ordinal) => GetInteger<short>(ordinal);

    /// <inheritdoc/>
    public override int GetInt32(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Int4 ? Value(ordinal).GetInt32(ordinal) : GetInteger<int>(ordinal);

    /// <inheritdoc/>
    public override long GetInt64(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Int8 ? Value(ordinal).GetInt64(ordinal) : GetInteger<long>(ordinal);

    /// <inheritdoc/>
    public override float GetFloat(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Numeric ? (float)Value(ordinal).GetDecimal(ordinal) : Value(ordinal).GetSingle(ordinal);

    /// <inheritdoc/>
    public override double GetDouble(int ordinal)
        => KindOf(ordinal) == PgTypeKind.Numeric ? (double)Value(ordinal).GetDecimal(ordinal) : Value(ordinal).GetDouble(ordinal);

    /// <inheritdoc/>
    public override decimal GetDecimal(int ordinal) => Value(ordinal).GetDecimal(ordinal);

    /// <inheritdoc/>
    public override Guid GetGuid(int ordinal) => Value(ordinal).GetGuid(ordinal);

    /// <inheritdoc/>
    public override DateTime GetDateTime(int ordinal) => Value(ordinal).GetDateTime(ordinal);

    /// <inheritdoc/>
    public override string GetString(int ordinal) => Value(ordinal).GetString(ordinal)!; // Value refuses NULL.

    /// <inheritdoc/>
    public override char GetChar(int ordinal)
    {
        string text = GetString(ordinal);
        return text.Length > 0 ? text[0] : throw new InvalidCastException($"Column '{_shape.Names[ordinal]}' is an empty text; it has no character.");
    }

    /// <inheritdoc/>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        ReadOnlySpan<byte> bytes = BytesOf(ordinal);
        if (buffer is null)
        {
            return bytes.Length;
        }

        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        bytes = bytes[(int)Math.Min(dataOffset, bytes.Length)..];
        bytes = bytes[..Math.Min(bytes.Length, length)];
        bytes.CopyTo(buffer.AsSpan(bufferOffset, length));
        return bytes.Length;
    }

    /// <inheritdoc/>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        string text = GetString(ordinal);
        if (buffer is null)
        {
            return text.Length;
        }

        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        ReadOnlySpan<char> characters = text.AsSpan((int)Math.Min(dataOffset, text.Length));
        characters = characters[..Math.Min(characters.Length, length)];
        characters.CopyTo(buffer.AsSpan(bufferOffset, length));
        return characters.Length;
    }

    /// <summary>The bytes of the value as a stream of its own.</summary>
    public override Stream GetStream(int ordinal) => new MemoryStream(BytesOf(ordinal).ToArray(), writable: false);

    /// <inheritdoc/>
    public override TextReader GetTextReader(int ordinal) => new StringReader(GetString(ordinal));

    private static bool IsNumber<T>()
        => typeof(T) == typeof(byte) || typeof(T) == typeof(sbyte) || typeof(T) == typeof(short) || typeof(T) == typeof(ushort)
            || typeof(T) == typeof(int) || typeof(T) == typeof(uint) || typeof(T) == typeof(long) || typeof(T) == typeof(ulong)
            || typeof(T) == typeof(double) || typeof(T) == typeof(float);

    private T OfNull<T>(int ordinal)
        => typeof(T) == typeof(DBNull) ? (T)(object)DBNull.Value
            : default(T) is null && Nullable.GetUnderlyingType(typeof(T)) is not null ? default!
            : throw Null(ordinal);

    private T GetNumber<T>(int ordinal)
    {
        object value = GetValue(ordinal);
        if (typeof(T) == typeof(double) && value is decimal number)
        {
            return (T)(object)(double)number;
        }

        // Whole numbers only, and none that does not fit: the conversion throws.
        return (T)Convert.ChangeType(value, typeof(T), CultureInfo.InvariantCulture);
    }

    /// <summary>A whole number in another width than the column's, if it fits.</summary>
    private T GetInteger<T>(int ordinal)
        where T : struct, INumberBase<T>
        => KindOf(ordinal) switch
        {
            PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 => T.CreateChecked(Value(ordinal).GetInt64(ordinal)),
            PgTypeKind.Numeric => T.CreateChecked(Value(ordinal).GetDecimal(ordinal)),
            _ => Value(ordinal).Get<T>(ordinal),
        };

    private ReadOnlySpan<byte> BytesOf(int ordinal)
    {
        PgField field = Value(ordinal)[ordinal];
        if (field is { TypeId: PgTypeId.Bytea, Format: PgFormat.Text })
        {
            return PgCodecs<byte[]>.Instance.Read(field);
        }

        // The version in front of a jsonb is the wire's, not the value's.
        return field is { TypeId: PgTypeId.Jsonb, Format: PgFormat.Binary } ? Encoding.UTF8.GetBytes(GetString(ordinal)) : field.Bytes;
    }

    private PgTypeKind KindOf(int ordinal)
    {
        _ = Row(ordinal);
        return PgTypeTable.KindOf(_shape.Columns.TypeIds[ordinal]);
    }

    private PgRow Value(int ordinal)
    {
        PgRow row = Row(ordinal);
        return row.IsNull(ordinal) ? throw Null(ordinal) : row;
    }

    private PgRow Row(int ordinal)
    {
        if (_rowLength < 0)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            throw new InvalidOperationException($"There is no row. {nameof(Read)} goes to the first one; it says whether there is.");
        }

        if ((uint)ordinal >= (uint)_shape.Names.Length)
        {
            throw NoColumn($"Column {ordinal} is none of the {_shape.Names.Length} columns, which count from 0.");
        }

        return new PgRow(_bytes.AsSpan(_rowStart, _rowLength), _operation.RowLayout.Offsets, _shape.Columns);
    }

    private InvalidCastException Null(int ordinal)
        => new($"Column '{_shape.Names[ordinal]}' is null. Ask {nameof(IsDBNull)} first, or read it as a nullable type.");
}
