using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>The wire form of <c>timestamp</c> and <c>timestamptz</c>: a 64-bit count of microseconds since 2000-01-01.</summary>
internal static class TimestampWire
{
    internal static long Read(ReadOnlySpan<byte> bytes, uint typeId)
    {
        if (bytes.Length != sizeof(long))
        {
            TypeErrors.ThrowMalformed(typeId, $"it has {bytes.Length} bytes, not {sizeof(long)}");
        }

        return BinaryPrimitives.ReadInt64BigEndian(bytes);
    }

    /// <summary>As in Npgsql: the extremes of <see cref="DateTime"/> are the infinities, fractions of a microsecond are dropped.</summary>
    internal static long FromTicks(long ticks)
        => ticks == DateTime.MaxValue.Ticks ? long.MaxValue
            : ticks == DateTime.MinValue.Ticks ? long.MinValue
            : (ticks - PgEpoch.Ticks) / PgEpoch.TicksPerMicrosecond;

    internal static DateTime ToDateTime<T>(long microseconds, uint typeId)
    {
        if (new PgTimestamp(microseconds, typeId == PgTypeId.TimestampTz).TryToDateTime(out DateTime value))
        {
            return value;
        }

        if (microseconds is not (long.MaxValue or long.MinValue))
        {
            TypeErrors.ThrowRange<T>(typeId, "it lies outside the years 1 to 9999", nameof(PgTimestamp));
        }

        DateTime extreme = microseconds > 0 ? DateTime.MaxValue : DateTime.MinValue;
        return typeId == PgTypeId.TimestampTz ? DateTime.SpecifyKind(extreme, DateTimeKind.Utc) : extreme;
    }
}
