using System.Collections;
using System.Collections.Specialized;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>The only list of .NET types with built-in codecs. The server's types are in <see cref="PgTypeTable"/>.</summary>
/// <remarks>A codec is created on first use, so that unused types cost nothing.</remarks>
internal static class BuiltInTypes
{
    /// <summary>Each type, with its codec and the column types that the ADO.NET facade reads as it.</summary>
    internal static readonly BuiltInType[] All =
    [
        new BuiltInValue<bool>(BoolCodec.Instance, PgTypeId.Bool),
        new BuiltInValue<short>(IntegerCodecs.Int16, PgTypeId.Int2),
        new BuiltInBound<int>(IntegerCodecs.Int32, PgTypeId.Int4),
        new BuiltInBound<long>(IntegerCodecs.Int64, PgTypeId.Int8),
        new BuiltInValue<uint>(IntegerCodecs.UInt32, PgTypeTable.OfKind(PgTypeKind.Oid)),
        new BuiltInValue<ulong>(IntegerCodecs.UInt64, PgTypeId.Xid8),
        new BuiltInValue<double>(FloatCodecs.Double, PgTypeId.Float8),
        new BuiltInValue<float>(FloatCodecs.Single, PgTypeId.Float4),
        new BuiltInBound<decimal>(new DecimalCodec(), PgTypeId.Numeric, PgTypeId.Money),
        new BuiltInBound<PgNumeric>(PgNumericCodec.Instance),
        new BuiltInValue<BigInteger>(new BigIntegerCodec()),
        new BuiltInValue<Guid>(GuidCodec.Instance, PgTypeId.Uuid),
        new BuiltInValue<char>(new CharCodec(), PgTypeId.InternalChar) { IsText = true },
        new BuiltInValue<ReadOnlyMemory<byte>>(new MemoryCodec()),
        new BuiltInBound<DateTime>(new DateTimeCodec(), PgTypeId.Timestamp, PgTypeId.TimestampTz),
        new BuiltInBound<DateTimeOffset>(new DateTimeOffsetCodec(), PgTypeId.TimeTz),
        new BuiltInBound<DateOnly>(new DateOnlyCodec(), PgTypeId.Date),
        new BuiltInValue<TimeOnly>(new TimeOnlyCodec(), PgTypeId.Time),
        new BuiltInValue<TimeSpan>(new TimeSpanCodec(), PgTypeId.Interval),
        new BuiltInBound<PgTimestamp>(PgTimestampCodec.Instance),
        new BuiltInBound<PgDate>(PgDateCodec.Instance),
        new BuiltInValue<PgTimeTz>(PgTimeTzCodec.Instance),
        new BuiltInValue<PgInterval>(PgIntervalCodec.Instance),
        new BuiltInValue<PgInet>(PgInetCodec.Instance),
        new BuiltInValue<IPNetwork>(new IPNetworkCodec(), PgTypeId.Cidr),
        new BuiltInValue<PgBits>(PgBitsCodec.Instance),
        new BuiltInValue<BitVector32>(new BitVector32Codec()),
        new BuiltInValue<JsonElement>(JsonElementCodec.Instance),
        new BuiltInValue<PgPoint>(ShapeCodecs.Point, PgTypeId.Point),
        new BuiltInValue<PgLine>(ShapeCodecs.Line, PgTypeId.Line),
        new BuiltInValue<PgLineSegment>(ShapeCodecs.LineSegment, PgTypeId.LineSegment),
        new BuiltInValue<PgBox>(ShapeCodecs.Box, PgTypeId.Box),
        new BuiltInValue<PgCircle>(ShapeCodecs.Circle, PgTypeId.Circle),
        new BuiltInValue<PgPath>(PgPathCodec.Instance, PgTypeId.Path),
        new BuiltInValue<PgPolygon>(PgPolygonCodec.Instance, PgTypeId.Polygon),
        new BuiltInValue<PgVector>(new PgVectorCodec()),
        new BuiltInType<string>(
            StringCodec.Instance, PgTypeId.Text, PgTypeId.VarChar, PgTypeId.BpChar, PgTypeId.Name, PgTypeId.Json, PgTypeId.Jsonb,
            PgTypeId.JsonPath, PgTypeId.Xml) { IsText = true },
        new BuiltInType<byte[]>(BytesCodec.Instance, PgTypeId.Bytea),
        new BuiltInType<JsonDocument>(new JsonDocumentCodec()),
        new BuiltInType<JsonNode>(new JsonNodeCodec<JsonNode>()),
        new BuiltInType<JsonObject>(new JsonNodeCodec<JsonObject>()),
        new BuiltInType<JsonArray>(new JsonNodeCodec<JsonArray>()),
        new BuiltInType<IPAddress>(new IPAddressCodec(), PgTypeId.Inet),
        new BuiltInType<PhysicalAddress>(new PhysicalAddressCodec(), PgTypeId.MacAddr, PgTypeId.MacAddr8),
        new BuiltInType<BitArray>(new BitArrayCodec(), PgTypeId.Bit, PgTypeId.VarBit),
        new BuiltInType<Dictionary<string, string?>>(new HstoreCodec()),
    ];

    private static readonly Dictionary<Type, BuiltInType> s_byType = All.ToDictionary(static type => type.Type);

    /// <summary>Whether a type has a built-in codec.</summary>
    internal static bool Has<T>() => Find<T>() is not null;

    /// <summary>The built-in codec of a type, or null.</summary>
    internal static PgCodec<T>? Find<T>() => (PgCodec<T>?)Find(typeof(T), out _);

    /// <summary>The same for a type that is known only at run time: a <see cref="PgCodec{T}"/> through its object interface.</summary>
    /// <param name="type">The type.</param>
    /// <param name="item">The type that it is derived from.</param>
    internal static Data.IHasObjectCodec? Find(Type type, out BuiltInType? item)
    {
        Type candidate = type;
        while (!s_byType.TryGetValue(candidate, out item))
        {
            // An array, List<T>, PgArray<T>, PgRange<T> or T?, in each other.
            if (candidate.GetElementType() is { } element)
            {
                candidate = element;
            }
            else if (candidate.IsGenericType && candidate.GenericTypeArguments is [var argument])
            {
                candidate = argument;
            }
            else
            {
                return null;
            }
        }

        return type == typeof(float[]) ? new SingleArrayCodec() : item.CodecOf(type);
    }
}

/// <summary>A .NET type that has a codec, with the types derived from it: nullable values, arrays and lists, ranges.</summary>
/// <param name="type">The type.</param>
/// <param name="columns">The column types that the ADO.NET facade reads as this type.</param>
internal abstract class BuiltInType(Type type, uint[] columns)
{
    internal Type Type { get; } = type;

    /// <summary>The ADO.NET facade sends an object of it as text, while the codec leaves the type to the server.</summary>
    internal bool IsText { get; init; }

    private protected uint[] Columns { get; } = columns;

    /// <summary>The codec of the type or of a type derived from it; else null.</summary>
    internal abstract IHasObjectCodec? CodecOf(Type type);

    /// <summary>Adds the readers for columns of its types and of types derived from them.</summary>
    internal abstract void AddReaders(Dictionary<uint, ColumnReader> readers);
}

/// <inheritdoc/>
internal class BuiltInType<T>(PgCodec<T> codec, params uint[] columns) : BuiltInType(typeof(T), columns)
{
    private protected PgCodec<T> Codec { get; } = codec;

    internal override IHasObjectCodec? CodecOf(Type type) => type == typeof(T) ? Codec : ArrayOf(type, Codec);

    internal override void AddReaders(Dictionary<uint, ColumnReader> readers)
    {
        var reader = new ColumnReader<T>();
        ColumnReader arrays = typeof(T) == typeof(string) ? new TextArrayColumnReader() : new ArrayColumnReader<T>();
        foreach (uint typeId in Columns)
        {
            readers[typeId] = reader;
            if (PgTypeTable.ArrayOf(typeId) is var arrayId and not 0)
            {
                readers[arrayId] = arrays;
            }
        }
    }

    private protected static IHasObjectCodec? ArrayOf<TItem>(Type type, PgCodec<TItem> codec)
        => type == typeof(TItem[]) ? new VectorArrayCodec<TItem>(codec) : CollectionOf(type, codec);

    private protected static IHasObjectCodec? CollectionOf<TItem>(Type type, PgCodec<TItem> codec)
        => type == typeof(List<TItem>) ? new ListArrayCodec<TItem>(codec)
            : type == typeof(PgArray<TItem>) ? new ShapedArrayCodec<TItem>(codec)
            : type == typeof(TItem[,]) ? new MatrixArrayCodec<TItem>(codec)
            : null;
}

/// <summary>A struct, with its nullable form alone and in arrays.</summary>
internal class BuiltInValue<T>(PgCodec<T> codec, params uint[] columns) : BuiltInType<T>(codec, columns)
    where T : struct
{
    internal override IHasObjectCodec? CodecOf(Type type)
    {
        if (base.CodecOf(type) is { } found)
        {
            return found;
        }

        var nullable = new NullableCodec<T>(Codec);
        return type == typeof(T?) ? nullable : ArrayOf(type, nullable);
    }
}

/// <summary>A struct that can bound ranges.</summary>
internal sealed class BuiltInBound<T>(PgCodec<T> codec, params uint[] columns) : BuiltInValue<T>(codec, columns)
    where T : struct
{
    internal override IHasObjectCodec? CodecOf(Type type)
    {
        if (base.CodecOf(type) is { } found)
        {
            return found;
        }

        var range = new RangeCodec<T>(Codec);
        var nullable = new NullableCodec<PgRange<T>>(range);
        var ranges = new MultiRangeCodec<T>(range);
        return type == typeof(PgRange<T>) ? range
            : type == typeof(PgRange<T>?) ? nullable
            : type == typeof(PgRange<T>[]) ? ranges
            : CollectionOf(type, range) ?? CollectionOf(type, nullable) ?? ArrayOf(type, ranges);
    }

    internal override void AddReaders(Dictionary<uint, ColumnReader> readers)
    {
        base.AddReaders(readers);

        // With codecs of their own: the codec that is found for an array of ranges is the multirange's.
        var range = new RangeCodec<T>(Codec);
        var arrays = new ArrayColumnReader<PgRange<T>>(new VectorArrayCodec<PgRange<T>>(range), new MatrixArrayCodec<PgRange<T>>(range));
        foreach (uint rangeId in Columns.Select(PgTypeTable.RangeOf).Where(static rangeId => rangeId != 0))
        {
            uint multiRangeId = PgTypeTable.RangeOf(rangeId);
            readers[rangeId] = new ColumnReader<PgRange<T>>();
            readers[PgTypeTable.ArrayOf(rangeId)] = arrays;
            readers[multiRangeId] = new ColumnReader<PgRange<T>[]>();
            readers[PgTypeTable.ArrayOf(multiRangeId)] = new ArrayColumnReader<PgRange<T>[]>();
        }
    }
}
