using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;

namespace Ioxide.Pg.Data;

/// <summary>Reads the fields of a record or composite, or of an array of them, row by row: what <see cref="DbDataReader.GetData"/> returns.</summary>
/// <remarks>It has memory of its own, and is closed when its row is left or <c>GetData</c> is called again: one at a time, as on Npgsql.</remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own readers end in Reader.")]
[SuppressMessage("Design", "CA1010", Justification = "Nor are the framework's own readers generic enumerables.")]
internal sealed class PgDbNestedDataReader(NestedRows rows, TypeCatalog types, int depth) : DbDataReader
{
    private int _rowCount = rows.Rows.Count;
    private int _next;
    private NestedValue[]? _row;
    private bool _isClosed;
    private PgDbNestedDataReader? _within;

    public override int Depth => _isClosed ? throw Closed() : depth;

    /// <summary>The fields of the row; 0 before the first row and after the last.</summary>
    public override int FieldCount => Open()._row?.Length ?? 0;

    public override bool HasRows => Open()._rowCount > 0;

    public override bool IsClosed => _isClosed;

    public override int RecordsAffected => -1;

    public override object this[int ordinal] => GetValue(ordinal);

    public override object this[string name] => GetValue(GetOrdinal(name));

    public override bool Read()
    {
        _ = Open();
        CloseWithin();
        _row = _next < _rowCount ? rows.Rows[_next++] : null;
        return _row is not null;
    }

    public override bool NextResult()
    {
        _ = Open();
        CloseWithin();
        _row = null;
        _rowCount = 0;
        return false;
    }

    public override void Close()
    {
        CloseWithin();
        _row = null;
        _isClosed = true;
    }

    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    public override string GetName(int ordinal)
    {
        _ = At(ordinal);
        return rows.Names is { } names ? names[ordinal] : "?column?";
    }

    /// <summary>Finds a field by name, as <see cref="PgDbDataReader.GetOrdinal"/> finds a column.</summary>
    /// <exception cref="NotSupportedException">It is a record: its fields have no names.</exception>
    public override int GetOrdinal(string name)
    {
        if (rows.Names is not { } names)
        {
            throw new NotSupportedException("The fields of a record have no names. Read them by number, or cast the record to a composite type.");
        }

        int index = ResultShape.IndexOf(names, name);
        return index >= 0 ? index : throw OutOfRange($"The composite has no field '{name}'.");
    }

    public override string GetDataTypeName(int ordinal)
    {
        uint typeId = At(ordinal).TypeId;
        return types.NameOf(typeId) ?? TypeNames.Of(typeId, -1);
    }

    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage(
        "Trimming", "IL2073", Justification = "The types are the framework's scalars and this assembly's structs, used as values.")]
    public override Type GetFieldType(int ordinal) => types.ReaderOf(At(ordinal).TypeId, -1).Type;

    public override bool IsDBNull(int ordinal) => At(ordinal).Bytes is null;

    public override object GetValue(int ordinal)
    {
        NestedValue value = At(ordinal);
        try
        {
            return value.Bytes is null ? DBNull.Value : types.ReaderOf(value.TypeId, -1).Read(types.Within(value.Field));
        }
        catch (PgTypeException refused)
        {
            throw Refusal(ordinal, refused);
        }
    }

    public override int GetValues(object[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        int count = Math.Min(values.Length, Row().Length);
        for (int i = 0; i < count; i++)
        {
            values[i] = GetValue(i);
        }

        return count;
    }

    public override T GetFieldValue<T>(int ordinal)
    {
        NestedValue value = At(ordinal);
        if (typeof(T) == typeof(object))
        {
            return (T)GetValue(ordinal);
        }

        if (value.Bytes is null)
        {
            return typeof(T) == typeof(DBNull) ? (T)(object)DBNull.Value
                : Nullable.GetUnderlyingType(typeof(T)) is not null ? default! // NULL is null for a type that can be null.
                : throw Null(ordinal);
        }

        return ValueAs(ordinal, Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T)) is { } converted ? (T)converted : Convert<T>(ordinal);
    }

    public override bool GetBoolean(int ordinal) => Convert<bool>(ordinal);

    public override byte GetByte(int ordinal) => Number<byte>(ordinal);

    public override short GetInt16(int ordinal) => Number<short>(ordinal);

    public override int GetInt32(int ordinal) => Number<int>(ordinal);

    public override long GetInt64(int ordinal) => Number<long>(ordinal);

    public override float GetFloat(int ordinal) => Number<float>(ordinal);

    public override double GetDouble(int ordinal) => Number<double>(ordinal);

    public override decimal GetDecimal(int ordinal) => Number<decimal>(ordinal);

    public override Guid GetGuid(int ordinal) => Convert<Guid>(ordinal);

    public override DateTime GetDateTime(int ordinal) => Convert<DateTime>(ordinal);

    public override string GetString(int ordinal)
    {
        ColumnReader reader = types.ReaderOf(Value(ordinal).TypeId, -1);
        return reader.IsText || reader.Type == typeof(char) ? Convert<string>(ordinal) : throw new InvalidCastException(
            $"The field {ordinal} is {GetDataTypeName(ordinal)}, which is not read as text. "
                + $"Cast it in the statement, or read it as {reader.Type.Name}.");
    }

    public override char GetChar(int ordinal)
        => GetString(ordinal) is [var first, ..] ? first
            : throw new InvalidCastException($"The field {ordinal} is an empty text; it has no character.");

    /// <summary>Copies bytes of the field's wire form.</summary>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        ReadOnlySpan<byte> bytes = BytesCodec.ReceivedOf(Value(ordinal).Field);
        return buffer is null ? bytes.Length
            : PgDbDataReader.Copy(bytes, dataOffset, PgDbDataReader.Target(dataOffset, buffer, bufferOffset, length));
    }

    /// <exception cref="NotSupportedException">Always, as on Npgsql.</exception>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
        => throw new NotSupportedException($"A nested reader does not copy characters. Use {nameof(GetString)}.");

    protected override DbDataReader GetDbDataReader(int ordinal)
    {
        NestedValue value = Value(ordinal);
        CloseWithin();
        return _within = new PgDbNestedDataReader(NestedRows.Of(value.Field, types), types, depth + 1);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Close();
        }

        base.Dispose(disposing);
    }

    private void CloseWithin()
    {
        _within?.Close();
        _within = null;
    }

    /// <summary>The value in a type that is not read by a codec alone; null: a codec reads it.</summary>
    private object? ValueAs(int ordinal, Type type) => Type.GetTypeCode(type) switch
    {
        _ when type.IsEnum => null,
        TypeCode.Byte => Number<byte>(ordinal),
        TypeCode.SByte => Number<sbyte>(ordinal),
        TypeCode.Int16 => Number<short>(ordinal),
        TypeCode.UInt16 => Number<ushort>(ordinal),
        TypeCode.Int32 => Number<int>(ordinal),
        TypeCode.UInt32 => Number<uint>(ordinal),
        TypeCode.Int64 => Number<long>(ordinal),
        TypeCode.UInt64 => Number<ulong>(ordinal),
        TypeCode.Single => Number<float>(ordinal),
        TypeCode.Double => Number<double>(ordinal),
        TypeCode.Decimal => Number<decimal>(ordinal),
        TypeCode.String => GetString(ordinal),
        TypeCode.Char => GetChar(ordinal),
        _ => type == typeof(Stream) ? GetStream(ordinal)
            : type == typeof(TextReader) ? GetTextReader(ordinal)
            : type == typeof(char[]) ? GetString(ordinal).ToCharArray()
            : null,
    };

    /// <summary>A number in the width that the caller requests, as the reader of the row gives it.</summary>
    private T Number<T>(int ordinal)
        where T : struct, INumberBase<T>
    {
        return PgTypeTable.KindOf(types.PlainOf(Value(ordinal).TypeId)) switch
        {
            PgTypeKind.Int2 or PgTypeKind.Int4 or PgTypeKind.Int8 => T.CreateChecked(Convert<long>(ordinal)),
            PgTypeKind.Numeric => T.CreateChecked(Convert<decimal>(ordinal)),
            PgTypeKind.Float8 when typeof(T) == typeof(float) => T.CreateChecked(Convert<double>(ordinal)),
            _ => Convert<T>(ordinal),
        };
    }

    private T Convert<T>(int ordinal)
    {
        NestedValue value = Value(ordinal);
        try
        {
            PgField field = types.Within(value.Field);
            ColumnReader reader = types.ReaderOf(value.TypeId, -1);
            return reader.IsOfDatabase && reader.ReadAs(typeof(T), field) is T known ? known : PgCodecs<T>.Instance.Read(field);
        }
        catch (PgTypeException refused)
        {
            throw Refusal(ordinal, refused);
        }
    }

    /// <summary>ADO.NET expects exactly these exception types.</summary>
    private SystemException Refusal(int ordinal, PgTypeException refused)
    {
        string message = $"Field {ordinal}: {refused.Message}";
        return refused.IsRange && types.PlainOf(At(ordinal).TypeId) == PgTypeId.Numeric
            ? new OverflowException(message, refused)
            : new InvalidCastException(message, refused);
    }

    private NestedValue Value(int ordinal) => At(ordinal) is { Bytes: not null } value ? value : throw Null(ordinal);

    private NestedValue At(int ordinal)
    {
        NestedValue[] row = Row();
        return (uint)ordinal < (uint)row.Length ? row[ordinal]
            : throw OutOfRange($"Field {ordinal} is none of the {row.Length} fields, which count from 0.");
    }

    private NestedValue[] Row()
        => Open()._row ?? throw new InvalidOperationException($"There is no row. {nameof(Read)} goes to the first one; it says whether there is.");

    private PgDbNestedDataReader Open() => _isClosed ? throw Closed() : this;

    private static InvalidOperationException Closed() => new("The reader is closed: its row was left, or GetData was called again.");

    [SuppressMessage("Usage", "CA2201", Justification = "ADO.NET's contract names this exception.")]
    private static IndexOutOfRangeException OutOfRange(string message) => new(message);

    private static InvalidCastException Null(int ordinal)
        => new($"The field {ordinal} is null. Ask {nameof(IsDBNull)} first, or read it as a nullable type.");
}
