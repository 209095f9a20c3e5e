using System.Buffers.Binary;
using System.Collections;
using System.Net;
using System.Net.NetworkInformation;

namespace Ioxide.Pg.Data;

/// <summary>Makes an object of a column's value: of the type that Npgsql makes.</summary>
internal abstract class ColumnReader(Type type)
{
    private static readonly Dictionary<uint, ColumnReader> s_byType = Make();
    private static readonly ColumnReader s_text = new ColumnReader<string>();
    private static readonly ColumnReader s_bit = new ColumnReader<bool>();
    private static readonly ColumnReader s_bits = new ArrayColumnReader<bool>();

    internal Type Type { get; } = type;

    internal abstract object Read(PgField field);

    /// <summary>The reader of a type.</summary>
    /// <param name="typeId">Its OID.</param>
    /// <param name="modifier">Its modifier: one bit is a bool, more are an array of bits. Of an array it is the elements'.</param>
    internal static ColumnReader Of(uint typeId, int modifier)
        => typeId == PgTypeId.Bit && modifier == 1 ? s_bit
            : typeId == PgTypeId.BitArray && modifier == 1 ? s_bits
            : s_byType.TryGetValue(typeId, out ColumnReader? reader) ? reader : s_text;

    private static Dictionary<uint, ColumnReader> Make()
    {
        var map = new Dictionary<uint, ColumnReader>();
        Add<bool>(map, PgTypeId.Bool);
        Add<short>(map, PgTypeId.Int2);
        Add<int>(map, PgTypeId.Int4);
        Add<long>(map, PgTypeId.Int8);
        Add<float>(map, PgTypeId.Float4);
        Add<double>(map, PgTypeId.Float8);
        Add<decimal>(map, PgTypeId.Numeric, PgTypeId.Money);
        Add<string>(map, PgTypeId.Text, PgTypeId.VarChar, PgTypeId.BpChar, PgTypeId.Name, PgTypeId.Json, PgTypeId.Jsonb, PgTypeId.Xml);
        Add<char>(map, PgTypeId.InternalChar);
        Add<byte[]>(map, PgTypeId.Bytea);
        Add<Guid>(map, PgTypeId.Uuid);
        Add<DateOnly>(map, PgTypeId.Date);
        Add<TimeOnly>(map, PgTypeId.Time);
        Add<DateTimeOffset>(map, PgTypeId.TimeTz);
        Add<DateTime>(map, PgTypeId.Timestamp, PgTypeId.TimestampTz);
        Add<TimeSpan>(map, PgTypeId.Interval);
        Add<IPAddress>(map, PgTypeId.Inet);
        Add<IPNetwork>(map, PgTypeId.Cidr);
        Add<PhysicalAddress>(map, PgTypeId.MacAddr, PgTypeId.MacAddr8);
        Add<BitArray>(map, PgTypeId.Bit, PgTypeId.VarBit);
        Add<uint>(
            map, PgTypeId.Oid, PgTypeId.Xid, PgTypeId.Cid, PgTypeId.RegType, PgTypeId.RegClass, PgTypeId.RegProc, PgTypeId.RegRole,
            PgTypeId.RegNamespace, PgTypeId.RegConfig, PgTypeId.RegDictionary, PgTypeId.RegOper, PgTypeId.RegOperator, PgTypeId.RegProcedure,
            PgTypeId.RegCollation);
        Add<ulong>(map, PgTypeId.Xid8);
        Add<PgPoint>(map, PgTypeId.Point);
        Add<PgLine>(map, PgTypeId.Line);
        Add<PgLineSegment>(map, PgTypeId.LineSegment);
        Add<PgBox>(map, PgTypeId.Box);
        Add<PgCircle>(map, PgTypeId.Circle);
        Add<PgPath>(map, PgTypeId.Path);
        Add<PgPolygon>(map, PgTypeId.Polygon);
        AddRange<int>(map, PgTypeId.Int4Range);
        AddRange<long>(map, PgTypeId.Int8Range);
        AddRange<decimal>(map, PgTypeId.NumRange);
        AddRange<DateTime>(map, PgTypeId.TsRange);
        AddRange<DateTime>(map, PgTypeId.TsTzRange);
        AddRange<DateOnly>(map, PgTypeId.DateRange);
        return map;
    }

    private static void Add<T>(Dictionary<uint, ColumnReader> map, params ReadOnlySpan<uint> typeIds)
    {
        var reader = new ColumnReader<T>();
        var arrays = new ArrayColumnReader<T>();
        foreach (uint typeId in typeIds)
        {
            map[typeId] = reader;
            if (PgTypeTable.ArrayOf(typeId) is var arrayId and not 0)
            {
                map[arrayId] = arrays;
            }
        }
    }

    /// <summary>An array of ranges is a list, because <c>PgRange&lt;T&gt;[]</c> is a multirange.</summary>
    private static void AddRange<T>(Dictionary<uint, ColumnReader> map, uint rangeId)
    {
        uint multiRangeId = PgTypeTable.MultiRangeOf(rangeId);
        map[rangeId] = new ColumnReader<PgRange<T>>();
        map[PgTypeTable.ArrayOf(rangeId)] = new ColumnReader<List<PgRange<T>>>();
        map[multiRangeId] = new ColumnReader<PgRange<T>[]>();
        map[PgTypeTable.ArrayOf(multiRangeId)] = new ColumnReader<PgRange<T>[][]>();
    }
}

/// <inheritdoc/>
internal class ColumnReader<T>() : ColumnReader(typeof(T))
{
    internal override object Read(PgField field) => PgCodecs<T>.Instance.Read(field)!; // Never asked for NULL.
}

/// <summary>Arrays of one dimension, and of two.</summary>
internal sealed class ArrayColumnReader<T>() : ColumnReader(typeof(Array))
{
    internal override object Read(PgField field)
        => field.Format == PgFormat.Binary && field.Bytes.Length >= sizeof(int) && BinaryPrimitives.ReadInt32BigEndian(field.Bytes) == 2
            ? PgCodecs<T[,]>.Instance.Read(field)
            : PgCodecs<T[]>.Instance.Read(field);
}
