using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

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
        // A composite in a record has more fields than names where the database has altered its type.
        _ = At(ordinal);
        return rows.Names is { } names && ordinal < names.Length ? names[ordinal] : "?column?";
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
        return index >= 0 ? index : throw FieldValue.OutOfRange($"The composite has no field '{name}'.");
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

    public override object GetValue(int ordinal) => FieldAt(ordinal).Object();

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
        => typeof(T) == typeof(Stream) ? (T)(object)GetStream(ordinal)
            : typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal)
            : FieldAt(ordinal).As<T>();

    public override bool GetBoolean(int ordinal) => FieldAt(ordinal).Convert<bool>();

    public override byte GetByte(int ordinal) => FieldAt(ordinal).Number<byte>();

    public override short GetInt16(int ordinal) => FieldAt(ordinal).Number<short>();

    public override int GetInt32(int ordinal) => FieldAt(ordinal).Number<int>();

    public override long GetInt64(int ordinal) => FieldAt(ordinal).Number<long>();

    public override float GetFloat(int ordinal) => FieldAt(ordinal).Number<float>();

    public override double GetDouble(int ordinal) => FieldAt(ordinal).Number<double>();

    public override decimal GetDecimal(int ordinal) => FieldAt(ordinal).Number<decimal>();

    public override Guid GetGuid(int ordinal) => FieldAt(ordinal).Convert<Guid>();

    public override DateTime GetDateTime(int ordinal) => FieldAt(ordinal).Convert<DateTime>();

    public override string GetString(int ordinal) => FieldAt(ordinal).Text();

    public override char GetChar(int ordinal) => FieldAt(ordinal).Char();

    /// <summary>Copies bytes of the field's wire form.</summary>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        ReadOnlySpan<byte> bytes = BytesCodec.ReceivedOf(Received(ordinal));
        return buffer is null ? bytes.Length
            : FieldValue.Copy(bytes, dataOffset, FieldValue.Target(dataOffset, buffer, bufferOffset, length));
    }

    /// <exception cref="NotSupportedException">Always, as on Npgsql.</exception>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
        => throw new NotSupportedException($"A nested reader does not copy characters. Use {nameof(GetString)}.");

    protected override DbDataReader GetDbDataReader(int ordinal)
    {
        NestedRows fields = NestedRows.Of(Received(ordinal), types);
        CloseWithin();
        return _within = new PgDbNestedDataReader(fields, types, depth + 1);
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

    /// <summary>The field as it was received; not NULL.</summary>
    private PgField Received(int ordinal) => At(ordinal) is { Bytes: not null } value ? value.Field : throw FieldAt(ordinal).Null();

    private FieldValue FieldAt(int ordinal)
    {
        NestedValue value = At(ordinal);
        try
        {
            return new FieldValue(types.Within(value.Field), types.ReaderOf(value.TypeId, -1), this, ordinal);
        }
        catch (PgTypeException refused)
        {
            throw new InvalidCastException($"Field {ordinal}: {refused.Message}", refused);
        }
    }

    private NestedValue At(int ordinal)
    {
        NestedValue[] row = Row();
        return (uint)ordinal < (uint)row.Length ? row[ordinal]
            : throw FieldValue.OutOfRange($"Field {ordinal} is none of the {row.Length} fields, which count from 0.");
    }

    private NestedValue[] Row()
        => Open()._row ?? throw new InvalidOperationException($"There is no row. {nameof(Read)} goes to the first one; it says whether there is.");

    private PgDbNestedDataReader Open() => _isClosed ? throw Closed() : this;

    private static InvalidOperationException Closed() => new("The reader is closed: its row was left, or GetData was called again.");
}
