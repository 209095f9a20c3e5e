using System.Collections;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;

namespace Ioxide.Pg;

internal static partial class BuiltInCodecs
{
    /// <summary>Nullable values, arrays and ranges of the scalars.</summary>
    private static PgCodec<T>? FindFamily<T>()
        => OfValue<T, bool>(BoolCodec.Instance)
            ?? OfValue<T, short>(IntegerCodecs.Int16)
            ?? OfValue<T, int>(IntegerCodecs.Int32)
            ?? OfValue<T, long>(IntegerCodecs.Int64)
            ?? OfValue<T, uint>(IntegerCodecs.UInt32)
            ?? OfValue<T, ulong>(IntegerCodecs.UInt64)
            ?? OfValue<T, double>(DoubleCodec.Instance)
            ?? OfValue<T, float>(SingleCodec.Instance)
            ?? OfValue<T, decimal>(DecimalCodec.Instance)
            ?? OfValue<T, PgNumeric>(PgNumericCodec.Instance)
            ?? OfValue<T, BigInteger>(BigIntegerCodec.Instance)
            ?? OfValue<T, Guid>(GuidCodec.Instance)
            ?? OfValue<T, char>(CharCodec.Instance)
            ?? OfValue<T, ReadOnlyMemory<byte>>(MemoryCodec.Instance)
            ?? OfValue<T, DateTime>(DateTimeCodec.Instance)
            ?? OfValue<T, DateTimeOffset>(DateTimeOffsetCodec.Instance)
            ?? OfValue<T, DateOnly>(DateOnlyCodec.Instance)
            ?? OfValue<T, TimeOnly>(TimeOnlyCodec.Instance)
            ?? OfValue<T, TimeSpan>(TimeSpanCodec.Instance)
            ?? OfValue<T, PgTimestamp>(PgTimestampCodec.Instance)
            ?? OfValue<T, PgDate>(PgDateCodec.Instance)
            ?? OfValue<T, PgTimeTz>(PgTimeTzCodec.Instance)
            ?? OfValue<T, PgInterval>(PgIntervalCodec.Instance)
            ?? OfValue<T, PgInet>(PgInetCodec.Instance)
            ?? OfValue<T, IPNetwork>(IPNetworkCodec.Instance)
            ?? OfValue<T, PgBits>(PgBitsCodec.Instance)
            ?? OfValue<T, JsonElement>(JsonElementCodec.Instance)
            ?? OfValue<T, PgPoint>(ShapeCodecs.Point)
            ?? OfValue<T, PgLine>(ShapeCodecs.Line)
            ?? OfValue<T, PgLineSegment>(ShapeCodecs.LineSegment)
            ?? OfValue<T, PgBox>(ShapeCodecs.Box)
            ?? OfValue<T, PgCircle>(ShapeCodecs.Circle)
            ?? OfValue<T, PgPath>(PgPathCodec.Instance)
            ?? OfValue<T, PgPolygon>(PgPolygonCodec.Instance)
            ?? OfValue<T, PgVector>(PgVectorCodec.Instance)
            ?? OfItem<T, string>(StringCodec.Instance)
            ?? OfItem<T, byte[]>(BytesCodec.Instance)
            ?? OfItem<T, JsonDocument>(JsonDocumentCodec.Instance)
            ?? OfItem<T, IPAddress>(IPAddressCodec.Instance)
            ?? OfItem<T, PhysicalAddress>(PhysicalAddressCodec.Instance)
            ?? OfItem<T, BitArray>(BitArrayCodec.Instance)
            ?? OfItem<T, Dictionary<string, string?>>(HstoreCodec.Instance)
            ?? OfRange<T, int>(IntegerCodecs.Int32)
            ?? OfRange<T, long>(IntegerCodecs.Int64)
            ?? OfRange<T, decimal>(DecimalCodec.Instance)
            ?? OfRange<T, PgNumeric>(PgNumericCodec.Instance)
            ?? OfRange<T, DateTime>(DateTimeCodec.Instance)
            ?? OfRange<T, DateTimeOffset>(DateTimeOffsetCodec.Instance)
            ?? OfRange<T, PgTimestamp>(PgTimestampCodec.Instance)
            ?? OfRange<T, DateOnly>(DateOnlyCodec.Instance)
            ?? OfRange<T, PgDate>(PgDateCodec.Instance);

    private static PgCodec<T>? OfValue<T, TItem>(PgCodec<TItem> codec)
        where TItem : struct
    {
        if (typeof(T) == typeof(TItem?))
        {
            return Cast<T, TItem?>(new NullableCodec<TItem>(codec));
        }

        return OfItem<T, TItem>(codec) ?? OfItem<T, TItem?>(new NullableCodec<TItem>(codec));
    }

    private static PgCodec<T>? OfItem<T, TItem>(PgCodec<TItem> codec)
        => typeof(T) == typeof(TItem[]) ? Cast<T, TItem[]>(new VectorArrayCodec<TItem>(codec)) : OfCollection<T, TItem>(codec);

    private static PgCodec<T>? OfCollection<T, TItem>(PgCodec<TItem> codec)
        => typeof(T) == typeof(List<TItem>) ? Cast<T, List<TItem>>(new ListArrayCodec<TItem>(codec))
            : typeof(T) == typeof(PgArray<TItem>) ? Cast<T, PgArray<TItem>>(new ShapedArrayCodec<TItem>(codec))
            : typeof(T) == typeof(TItem[,]) ? Cast<T, TItem[,]>(new MatrixArrayCodec<TItem>(codec))
            : null;

    private static PgCodec<T>? OfRange<T, TBound>(PgCodec<TBound> codec)
    {
        var range = new RangeCodec<TBound>(codec);
        var nullable = new NullableCodec<PgRange<TBound>>(range);
        var ranges = new MultiRangeCodec<TBound>(range);
        return typeof(T) == typeof(PgRange<TBound>) ? Cast<T, PgRange<TBound>>(range)
            : typeof(T) == typeof(PgRange<TBound>?) ? Cast<T, PgRange<TBound>?>(nullable)
            : typeof(T) == typeof(PgRange<TBound>[]) ? Cast<T, PgRange<TBound>[]>(ranges)
            : OfCollection<T, PgRange<TBound>>(range) ?? OfCollection<T, PgRange<TBound>?>(nullable) ?? OfItem<T, PgRange<TBound>[]>(ranges);
    }
}
