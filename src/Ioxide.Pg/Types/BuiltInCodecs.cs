using System.Collections;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>The codecs that every application has.</summary>
/// <remarks>
/// Types are compared one by one: the compiler folds each comparison, so that for a closed type one branch is left, nothing is
/// looked up at run time, and what is not used can be trimmed away.
/// </remarks>
internal static partial class BuiltInCodecs
{
    /// <summary>Whether a type has a codec that is built in.</summary>
    internal static bool Has<T>() => Find<T>() is not null;

    /// <summary>The codec that is built in for a type, or null.</summary>
    internal static PgCodec<T>? Find<T>() => FindScalar<T>() ?? FindFamily<T>();

    private static PgCodec<T>? FindScalar<T>()
    {
        if (typeof(T) == typeof(bool))
        {
            return Cast<T, bool>(BoolCodec.Instance);
        }

        if (typeof(T) == typeof(short))
        {
            return Cast<T, short>(IntegerCodecs.Int16);
        }

        if (typeof(T) == typeof(int))
        {
            return Cast<T, int>(IntegerCodecs.Int32);
        }

        if (typeof(T) == typeof(long))
        {
            return Cast<T, long>(IntegerCodecs.Int64);
        }

        if (typeof(T) == typeof(uint))
        {
            return Cast<T, uint>(IntegerCodecs.UInt32);
        }

        if (typeof(T) == typeof(ulong))
        {
            return Cast<T, ulong>(IntegerCodecs.UInt64);
        }

        if (typeof(T) == typeof(double))
        {
            return Cast<T, double>(DoubleCodec.Instance);
        }

        if (typeof(T) == typeof(float))
        {
            return Cast<T, float>(SingleCodec.Instance);
        }

        if (typeof(T) == typeof(decimal))
        {
            return Cast<T, decimal>(DecimalCodec.Instance);
        }

        if (typeof(T) == typeof(PgNumeric))
        {
            return Cast<T, PgNumeric>(PgNumericCodec.Instance);
        }

        if (typeof(T) == typeof(BigInteger))
        {
            return Cast<T, BigInteger>(BigIntegerCodec.Instance);
        }

        if (typeof(T) == typeof(Guid))
        {
            return Cast<T, Guid>(GuidCodec.Instance);
        }

        if (typeof(T) == typeof(char))
        {
            return Cast<T, char>(CharCodec.Instance);
        }

        if (typeof(T) == typeof(ReadOnlyMemory<byte>))
        {
            return Cast<T, ReadOnlyMemory<byte>>(MemoryCodec.Instance);
        }

        if (typeof(T) == typeof(DateTime))
        {
            return Cast<T, DateTime>(DateTimeCodec.Instance);
        }

        if (typeof(T) == typeof(DateTimeOffset))
        {
            return Cast<T, DateTimeOffset>(DateTimeOffsetCodec.Instance);
        }

        if (typeof(T) == typeof(DateOnly))
        {
            return Cast<T, DateOnly>(DateOnlyCodec.Instance);
        }

        if (typeof(T) == typeof(TimeOnly))
        {
            return Cast<T, TimeOnly>(TimeOnlyCodec.Instance);
        }

        if (typeof(T) == typeof(TimeSpan))
        {
            return Cast<T, TimeSpan>(TimeSpanCodec.Instance);
        }

        if (typeof(T) == typeof(PgTimestamp))
        {
            return Cast<T, PgTimestamp>(PgTimestampCodec.Instance);
        }

        if (typeof(T) == typeof(PgDate))
        {
            return Cast<T, PgDate>(PgDateCodec.Instance);
        }

        if (typeof(T) == typeof(PgTimeTz))
        {
            return Cast<T, PgTimeTz>(PgTimeTzCodec.Instance);
        }

        if (typeof(T) == typeof(PgInterval))
        {
            return Cast<T, PgInterval>(PgIntervalCodec.Instance);
        }

        if (typeof(T) == typeof(PgInet))
        {
            return Cast<T, PgInet>(PgInetCodec.Instance);
        }

        if (typeof(T) == typeof(IPNetwork))
        {
            return Cast<T, IPNetwork>(IPNetworkCodec.Instance);
        }

        if (typeof(T) == typeof(PgBits))
        {
            return Cast<T, PgBits>(PgBitsCodec.Instance);
        }

        if (typeof(T) == typeof(JsonElement))
        {
            return Cast<T, JsonElement>(JsonElementCodec.Instance);
        }

        if (typeof(T) == typeof(PgPoint))
        {
            return Cast<T, PgPoint>(ShapeCodecs.Point);
        }

        if (typeof(T) == typeof(PgLine))
        {
            return Cast<T, PgLine>(ShapeCodecs.Line);
        }

        if (typeof(T) == typeof(PgLineSegment))
        {
            return Cast<T, PgLineSegment>(ShapeCodecs.LineSegment);
        }

        if (typeof(T) == typeof(PgBox))
        {
            return Cast<T, PgBox>(ShapeCodecs.Box);
        }

        if (typeof(T) == typeof(PgCircle))
        {
            return Cast<T, PgCircle>(ShapeCodecs.Circle);
        }

        if (typeof(T) == typeof(PgPath))
        {
            return Cast<T, PgPath>(PgPathCodec.Instance);
        }

        if (typeof(T) == typeof(PgPolygon))
        {
            return Cast<T, PgPolygon>(PgPolygonCodec.Instance);
        }

        if (typeof(T) == typeof(PgVector))
        {
            return Cast<T, PgVector>(PgVectorCodec.Instance);
        }

        if (typeof(T) == typeof(string))
        {
            return Cast<T, string>(StringCodec.Instance);
        }

        if (typeof(T) == typeof(byte[]))
        {
            return Cast<T, byte[]>(BytesCodec.Instance);
        }

        if (typeof(T) == typeof(JsonDocument))
        {
            return Cast<T, JsonDocument>(JsonDocumentCodec.Instance);
        }

        if (typeof(T) == typeof(IPAddress))
        {
            return Cast<T, IPAddress>(IPAddressCodec.Instance);
        }

        if (typeof(T) == typeof(PhysicalAddress))
        {
            return Cast<T, PhysicalAddress>(PhysicalAddressCodec.Instance);
        }

        if (typeof(T) == typeof(BitArray))
        {
            return Cast<T, BitArray>(BitArrayCodec.Instance);
        }

        if (typeof(T) == typeof(Dictionary<string, string>))
        {
            return Cast<T, Dictionary<string, string?>>(HstoreCodec.Instance);
        }

        if (typeof(T) == typeof(float[]))
        {
            return Cast<T, float[]>(SingleArrayCodec.Instance);
        }

        return null;
    }

    private static PgCodec<T> Cast<T, TCodec>(PgCodec<TCodec> codec) => (PgCodec<T>)(object)codec;
}
