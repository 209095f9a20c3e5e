using System.Data;
using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>The value of a parameter with its codec, as it stood when the command was started.</summary>
internal readonly struct BoundValue
{
    private readonly object? _value;
    private readonly ObjectCodec? _codec;

    private BoundValue(object? value, ObjectCodec? codec, uint typeId)
    {
        _value = value;
        _codec = codec;
        TypeId = typeId;
    }

    internal uint TypeId { get; }

    internal PgFormat Format => _codec?.Format ?? PgFormat.Text;

    /// <summary>Chooses the codec: by the declared type where there is one, else by the value's own.</summary>
    /// <exception cref="PgTypeException">Nothing is known of the value's type.</exception>
    internal static BoundValue Of(object? value, DbType? declared, uint typeId)
    {
        if (value is null or DBNull)
        {
            return new BoundValue(null, null, typeId != 0 ? typeId : declared is { } type ? TypeIdOf(type) : 0);
        }

        if (declared is { } dbType)
        {
            value = Convert(value, dbType);
        }

        ObjectCodec codec = ValueCodecs.Find(value.GetType()) ?? Adapt(ref value);
        uint own = declared == DbType.Object ? 0 : codec.TypeIdOf(value);
        return new BoundValue(value, codec, typeId != 0 ? typeId : own);
    }

    internal int Measure() => sizeof(int) + (_value is null ? 0 : _codec!.Measure(_value));

    internal void Write(ref WireWriter writer)
    {
        if (_value is null)
        {
            writer.WriteInt32(-1);
            return;
        }

        int length = _codec!.Measure(_value);
        writer.WriteInt32(length);
        _codec.Write(_value, writer.Take(length));
    }

    private static uint TypeIdOf(DbType type) => type switch
    {
        DbType.Boolean => PgTypeId.Bool,
        DbType.Byte or DbType.SByte or DbType.Int16 => PgTypeId.Int2,
        DbType.UInt16 or DbType.Int32 => PgTypeId.Int4,
        DbType.UInt32 or DbType.Int64 => PgTypeId.Int8,
        DbType.Single => PgTypeId.Float4,
        DbType.Double => PgTypeId.Float8,
        DbType.Decimal or DbType.VarNumeric => PgTypeId.Numeric,
        DbType.Currency => PgTypeId.Money,
        DbType.Guid => PgTypeId.Uuid,
        DbType.Binary => PgTypeId.Bytea,
        DbType.Date => PgTypeId.Date,
        DbType.Time => PgTypeId.Time,
        DbType.DateTime2 => PgTypeId.Timestamp,
        DbType.DateTime or DbType.DateTimeOffset => PgTypeId.TimestampTz,
        DbType.Xml => PgTypeId.Xml,
        DbType.Object => 0,
        _ => PgTypeId.Text,
    };

    private static object Convert(object value, DbType type)
    {
        CultureInfo culture = CultureInfo.InvariantCulture;
        return type switch
        {
            DbType.Int16 when value is not short => System.Convert.ToInt16(value, culture),
            DbType.Int32 when value is not int => System.Convert.ToInt32(value, culture),
            DbType.Int64 when value is not long => System.Convert.ToInt64(value, culture),
            DbType.Single when value is not float => System.Convert.ToSingle(value, culture),
            DbType.Double when value is not double => System.Convert.ToDouble(value, culture),
            DbType.Decimal when value is not (decimal or PgNumeric) => System.Convert.ToDecimal(value, culture),
            DbType.Date when value is DateTime day => DateOnly.FromDateTime(day),
            DbType.Time when value is TimeSpan time => TimeOnly.FromTimeSpan(time),
            _ => value,
        };
    }

    /// <summary>Values that travel as another type.</summary>
    private static ObjectCodec Adapt(ref object value)
    {
        value = value switch
        {
            byte number => (short)number,
            sbyte number => (short)number,
            ushort number => (int)number,
            Enum @enum => System.Convert.ChangeType(@enum, Enum.GetUnderlyingType(@enum.GetType()), CultureInfo.InvariantCulture),
            char[] text => new string(text),
            Memory<byte> bytes => (ReadOnlyMemory<byte>)bytes,
            ArraySegment<byte> bytes => (ReadOnlyMemory<byte>)bytes,
            IEnumerable<string> items => items.ToArray(),
            IEnumerable<int> items => items.ToArray(),
            IEnumerable<long> items => items.ToArray(),
            IEnumerable<short> items => items.ToArray(),
            IEnumerable<Guid> items => items.ToArray(),
            IEnumerable<decimal> items => items.ToArray(),
            IEnumerable<double> items => items.ToArray(),
            IEnumerable<bool> items => items.ToArray(),
            IEnumerable<DateTime> items => items.ToArray(),
            IEnumerable<DateOnly> items => items.ToArray(),
            IEnumerable<byte[]> items => items.ToArray(),
            _ => value,
        };
        if (value is byte or sbyte or ushort)
        {
            return Adapt(ref value);
        }

        return ValueCodecs.Find(value.GetType()) ?? throw new PgTypeException(
            $"A parameter of type {TypeErrors.NameOf(value.GetType())} cannot be sent: there is no codec for it. " +
            "Register one with PgCodec.Register, or convert the value.");
    }
}

/// <summary>The values of one statement.</summary>
internal readonly struct BoundValues(BoundValue[] values, int count) : IPgParameters
{
    private ReadOnlySpan<BoundValue> Values => values.AsSpan(0, count);

    int IPgParameters.Count => count;

    ulong IPgParameters.TypeKey
    {
        get
        {
            ulong key = TypeKeys.Start;
            foreach (ref readonly BoundValue value in Values)
            {
                key = TypeKeys.With(key, value.TypeId);
            }

            return count == 0 ? 0 : key | 1;
        }
    }

    int IPgParameters.Measure()
    {
        int length = 0;
        foreach (ref readonly BoundValue value in Values)
        {
            length = checked(length + value.Measure());
        }

        return length;
    }

    void IPgParameters.Write(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            value.Write(ref writer);
        }
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            writer.WriteUInt32(value.TypeId);
        }
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
        foreach (ref readonly BoundValue value in Values)
        {
            writer.WriteInt16((int)value.Format);
        }
    }
}
