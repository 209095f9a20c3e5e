using System.Buffers.Binary;

namespace Ioxide.Pg.Data;

/// <summary>Converts moments to the declared type: by the rules of Npgsql the kind of a <see cref="DateTime"/> has to fit it.</summary>
internal static class MomentConversion
{
    /// <summary>The value as one of the declared type, or the value itself.</summary>
    internal static object Convert(object value, uint target) => target switch
    {
        PgTypeId.DateRange when value is PgRange<DateTime> range => DaysOf(range),
        PgTypeId.DateMultiRange when value is PgRange<DateTime>[] ranges => Array.ConvertAll(ranges, DaysOf),
        _ => value,
    };

    internal static PgDate DayOf(DateTime moment)
        => moment == DateTime.MaxValue ? new PgDate(int.MaxValue)
            : moment == DateTime.MinValue ? new PgDate(int.MinValue)
            : new PgDate(DateOnly.FromDateTime(moment).DayNumber - PgEpoch.Days);

    /// <summary>The binary form of a time. 24 hours are a time of PostgreSQL; what is beyond, the server refuses.</summary>
    internal static byte[] TimeOf(TimeSpan value)
    {
        byte[] bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(bytes, value.Ticks / TimeSpan.TicksPerMicrosecond);
        return bytes;
    }

    /// <summary>Whether a value consists of moments whose kind decides between the two types, and is declared as the other one.</summary>
    internal static bool IsOfOtherKind(Type type, uint own, uint target)
        => BoundOf(type) is var bound && (bound == typeof(DateTime) || bound == typeof(PgTimestamp)) && AreMoments(own, target);

    internal static ArgumentException OtherKind(Type type, uint own, uint target)
        => new($"A parameter of type {TypeErrors.NameOf(type)} cannot be sent as {PgTypeTable.NameOf(target)}: by its kind it is "
            + $"{PgTypeTable.NameOf(own)}. A DateTime of kind Utc is timestamptz, others are timestamp: convert it with ToUniversalTime "
            + "or DateTime.SpecifyKind, or leave the type of the parameter to it.");

    /// <summary>Whether both types are timestamp or timestamptz, or both arrays or ranges of them.</summary>
    private static bool AreMoments(uint own, uint target)
    {
        while (PgTypeTable.KindOf(own) == PgTypeTable.KindOf(target) && PgTypeTable.ElementOf(own) != 0)
        {
            own = PgTypeTable.ElementOf(own);
            target = PgTypeTable.ElementOf(target);
        }

        return (own == PgTypeId.Timestamp && target == PgTypeId.TimestampTz) || (own == PgTypeId.TimestampTz && target == PgTypeId.Timestamp);
    }

    /// <summary>The type of the elements and of the bounds.</summary>
    private static Type BoundOf(Type type)
    {
        while ((type.GetElementType() ?? (type.IsGenericType ? type.GenericTypeArguments[0] : null)) is { } part)
        {
            type = part;
        }

        return type;
    }

    private static PgRange<PgDate> DaysOf(PgRange<DateTime> range)
        => new(range.Flags, range.HasLower ? DayOf(range.Lower) : default, range.HasUpper ? DayOf(range.Upper) : default);
}
