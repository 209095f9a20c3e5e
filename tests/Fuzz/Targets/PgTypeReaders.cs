using System.Collections;
using System.Collections.Specialized;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ioxide.Pg;

namespace Ioxide.Fuzz;

/// <summary>Reads a value.</summary>
/// <param name="field">The value.</param>
internal delegate void ValueReader(PgField field);

/// <summary>The .NET types that a type of the server is read as.</summary>
internal static class PgTypeReaders
{
    /// <summary>An OID that is not built in: that of an enum, a composite or a type of an extension.</summary>
    internal const uint Stranger = 99_999;

    private static readonly Family[] s_families =
    [
        Value<bool>(PgTypeKind.Bool, PgTypeKind.Bits),
        Value<short>(PgTypeKind.Int2),
        Bound<int>(PgTypeKind.Int2, PgTypeKind.Int4),
        Bound<long>(PgTypeKind.Int2, PgTypeKind.Int4, PgTypeKind.Int8),
        Value<uint>(PgTypeKind.Oid),
        Value<ulong>(PgTypeKind.UInt8),
        Value<double>(PgTypeKind.Float8, PgTypeKind.Float4, PgTypeKind.Int4),
        Value<float>(PgTypeKind.Float4, PgTypeKind.Int2),
        Bound<decimal>(PgTypeKind.Numeric, PgTypeKind.Money, PgTypeKind.Int8),
        Bound<PgNumeric>(PgTypeKind.Numeric, PgTypeKind.Int8),
        Value<BigInteger>(PgTypeKind.Numeric, PgTypeKind.Int8),
        Value<Guid>(PgTypeKind.Uuid),
        Value<char>(PgTypeKind.Text),
        Value<ReadOnlyMemory<byte>>(PgTypeKind.Bytea, PgTypeKind.Jsonb),
        Bound<DateTime>(PgTypeKind.Timestamp, PgTypeKind.TimestampTz, PgTypeKind.Date),
        Bound<DateTimeOffset>(PgTypeKind.TimestampTz, PgTypeKind.TimeTz),
        Bound<DateOnly>(PgTypeKind.Date),
        Value<TimeOnly>(PgTypeKind.Time),
        Value<TimeSpan>(PgTypeKind.Interval, PgTypeKind.Time),
        Bound<PgTimestamp>(PgTypeKind.Timestamp, PgTypeKind.TimestampTz) with { One = ReadMoment },
        Bound<PgDate>(PgTypeKind.Date),
        Value<PgTimeTz>(PgTypeKind.TimeTz),
        Value<PgInterval>(PgTypeKind.Interval),
        Value<PgInet>(PgTypeKind.Inet),
        Value<IPNetwork>(PgTypeKind.Inet),
        Value<PgBits>(PgTypeKind.Bits),
        Value<BitVector32>(PgTypeKind.Bits),
        Value<JsonElement>(PgTypeKind.Json, PgTypeKind.Jsonb, PgTypeKind.Text),
        Value<PgPoint>(PgTypeKind.Point),
        Value<PgLine>(PgTypeKind.Line),
        Value<PgLineSegment>(PgTypeKind.LineSegment),
        Value<PgBox>(PgTypeKind.Box),
        Value<PgCircle>(PgTypeKind.Circle),
        Value<PgPath>(PgTypeKind.Path),
        Value<PgPolygon>(PgTypeKind.Polygon),
        Value<PgVector>(),
        Of<string>(Enum.GetValues<PgTypeKind>()),
        Of<byte[]>(PgTypeKind.Bytea, PgTypeKind.Jsonb),
        Of<JsonDocument>(PgTypeKind.Json, PgTypeKind.Jsonb),
        Of<JsonNode>(PgTypeKind.Json, PgTypeKind.Jsonb),
        Of<JsonObject>(PgTypeKind.Jsonb),
        Of<JsonArray>(PgTypeKind.Jsonb),
        Of<IPAddress>(PgTypeKind.Inet),
        Of<PhysicalAddress>(PgTypeKind.MacAddr),
        Of<BitArray>(PgTypeKind.Bits),
        Of<Dictionary<string, string?>>(PgTypeKind.Text),
        Of<Pair>(PgTypeKind.None),
    ];

    static PgTypeReaders() => PgCodec.Register(new PairCodec());

    /// <summary>The readers of a type; all of them for a type that is not built in.</summary>
    internal static ValueReader[] Of(uint typeId)
    {
        PgTypeEntry type = PgTypeTable.Find(typeId);
        PgTypeEntry element = PgTypeTable.Find(type.ElementId);
        return type.Kind switch
        {
            PgTypeKind.None when typeId == Stranger => [.. s_families.SelectMany(static family => family.All)],
            PgTypeKind.Array when element.Kind is PgTypeKind.Range or PgTypeKind.MultiRange => [.. s_families.SelectMany(static family => family.Ranges)],
            PgTypeKind.Array => [.. s_families.Where(family => family.Reads(element.Kind)).SelectMany(static family => family.Arrays)],
            PgTypeKind.Range => [.. s_families.Where(family => family.Reads(element.Kind)).SelectMany(static family => family.Ranges)],
            PgTypeKind.MultiRange =>
                [.. s_families.Where(family => family.Reads(PgTypeTable.KindOf(element.ElementId))).SelectMany(static family => family.Ranges)],
            _ => [.. s_families.Where(family => family.Reads(type.Kind)).Select(static family => family.One)],
        };
    }

    /// <summary>A class.</summary>
    private static Family Of<T>(params PgTypeKind[] kinds) => new(kinds, Read<T>, [Read<T[]>, Read<List<T>>, Read<PgArray<T>>, Read<T[,]>], []);

    /// <summary>A struct: its array may have NULLs.</summary>
    private static Family Value<T>(params PgTypeKind[] kinds)
        where T : struct
        => new(kinds, Read<T?>, [Read<T[]>, Read<T?[]>, Read<List<T?>>, Read<PgArray<T?>>, Read<T?[,]>], []);

    /// <summary>A struct that bounds ranges.</summary>
    private static Family Bound<T>(params PgTypeKind[] kinds)
        where T : struct
        => Value<T>(kinds) with { Ranges = [Read<PgRange<T>>, Read<PgRange<T>[]>, Read<List<PgRange<T>>>, Read<PgRange<T>[][]>] };

    private static void Read<T>(PgField field) => _ = CodecFor<T>.Instance.Read(field);

    /// <summary>The day and the time of it are the moment.</summary>
    private static void ReadMoment(PgField field)
    {
        PgTimestamp moment = CodecFor<PgTimestamp>.Instance.Read(field);
        if (moment.IsFinite
            && (Int128)moment.Date.Days * TimeSpan.TicksPerDay + moment.TimeOfDay.Ticks != (Int128)moment.Microseconds * TimeSpan.TicksPerMicrosecond)
        {
            throw new FindingException($"{moment} is another moment than {moment.Date} and {moment.TimeOfDay}.");
        }
    }

    /// <summary>A .NET type with those made of it.</summary>
    /// <param name="Kinds">What it is read from.</param>
    /// <param name="One">Reads a value.</param>
    /// <param name="Arrays">Read arrays of it.</param>
    /// <param name="Ranges">Read ranges, multiranges and arrays of both.</param>
    private sealed record Family(PgTypeKind[] Kinds, ValueReader One, ValueReader[] Arrays, ValueReader[] Ranges)
    {
        internal IEnumerable<ValueReader> All => [One, .. Arrays, .. Ranges];

        internal bool Reads(PgTypeKind kind) => Kinds.Contains(kind);
    }

    private sealed record Pair(int? Number, string? Text);

    private sealed class PairCodec : PgCompositeCodec<Pair>
    {
        protected override void Write(Pair value, ref PgCompositeWriter writer)
        {
            writer.Write(value.Number);
            writer.Write(value.Text);
        }

        protected override Pair Read(ref PgCompositeReader reader) => new(reader.Read<int?>(), reader.Read<string?>());
    }
}
