using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private static IEnumerable<KeyValuePair<string, WireCase>> Ranges() =>
    [
        Range("int4range", static random => random.Next(int.MinValue, 0), static random => random.Next(1, int.MaxValue), isDiscrete: true),
        Range("int8range", static random => -random.NextInt64(), static random => 1 + random.NextInt64(), isDiscrete: true),
        Range("numrange", static random => -Math.Abs(AnyDecimal(random) / 2) - 1, static random => Math.Abs(AnyDecimal(random)), isDiscrete: false),
        Range("daterange", static random => new DateOnly(random.Next(2, 2000), 1, 1), static random => new DateOnly(random.Next(2000, 9999), 1, 2), isDiscrete: true),
        Range("tsrange", static random => Early(random, DateTimeKind.Unspecified), static random => Late(random, DateTimeKind.Unspecified), isDiscrete: false),
        Range("tstzrange", static random => Early(random, DateTimeKind.Utc), static random => Late(random, DateTimeKind.Utc), isDiscrete: false),
    ];

    private static IEnumerable<KeyValuePair<string, WireCase>> MultiRanges() =>
    [
        MultiRange("int4multirange", static (random, step) => 1_000 * step + random.Next(900)),
        MultiRange("int8multirange", static (random, step) => 10_000_000_000 * step + random.Next()),
        MultiRange("nummultirange", static (random, step) => 1_000m * step + random.Next(90_000) / 100m),
        MultiRange("datemultirange", static (random, step) => new DateOnly(2000 + step, 1, 1).AddDays(random.Next(300))),
        MultiRange("tsmultirange", static (random, step) => Early().AddDays(400 * step + random.NextDouble()) is var time ? Whole(time, DateTimeKind.Unspecified) : default),
        MultiRange("tstzmultirange", static (random, step) => Early().AddDays(400 * step + random.NextDouble()) is var time ? Whole(time, DateTimeKind.Utc) : default),
    ];

    private static KeyValuePair<string, WireCase> Range<T>(string sqlType, Func<Random, T> lower, Func<Random, T> upper, bool isDiscrete)
        where T : struct
    {
        PgRange<T>[] extremes = [PgRange.Empty<T>(), PgRange.All<T>()];
        return Named(new WireCase<PgRange<T>, List<PgRange<T>?>, NpgsqlRange<T>, NpgsqlRange<T>?[]>(
            sqlType, Range, static values => [.. Nullables(values)], Nullables, random => AnyRange(random, lower, upper, isDiscrete), extremes)
        {
            ArrayHead = sqlType == "tstzrange" ? [PgRange.From(lower(new Random(1)))] : [],
        });
    }

    /// <summary>A range as the server keeps it: discrete ones begin with their bound and end before it.</summary>
    private static PgRange<T> AnyRange<T>(Random random, Func<Random, T> lower, Func<Random, T> upper, bool isDiscrete)
        where T : struct
        => random.Next(4) switch
        {
            0 => PgRange.From(lower(random), isDiscrete || random.Next(2) == 0),
            1 => PgRange.To(upper(random), !isDiscrete && random.Next(2) == 0),
            _ => new PgRange<T>(lower(random), isDiscrete || random.Next(2) == 0, upper(random), !isDiscrete && random.Next(2) == 0),
        };

    private static KeyValuePair<string, WireCase> MultiRange<T>(string sqlType, Func<Random, int, T> bound)
        where T : struct
    {
        PgRange<T>[][] extremes = [[], [PgRange.All<T>()]];
        return Named(
            new WireCase<PgRange<T>[], PgRange<T>[]?[], NpgsqlRange<T>[], NpgsqlRange<T>[]?[]>(
                sqlType, static ranges => [.. ranges.Select(Range)], Objects, Objects, random => AnyRanges(random, bound), extremes)
            {
                ArrayHead = sqlType == "tstzmultirange" ? [[PgRange.From(bound(new Random(1), 0))]] : [],
            },
            sqlType);
    }

    private static PgRange<T>[] AnyRanges<T>(Random random, Func<Random, int, T> bound)
        where T : struct
        => [.. Enumerable.Range(0, random.Next(5)).Select(index => new PgRange<T>(bound(random, 2 * index), true, bound(random, 2 * index + 1), false))];

    private static NpgsqlRange<T> Range<T>(PgRange<T> value)
        where T : struct
        => value.IsEmpty
            ? NpgsqlRange<T>.Empty
            : new NpgsqlRange<T>(value.Lower, value.LowerInclusive, value.LowerInfinite, value.Upper, value.UpperInclusive, value.UpperInfinite);

    private static DateTime Early() => new(2, 1, 1);

    private static DateTime Early(Random random, DateTimeKind kind) => Whole(Early().AddDays(random.Next(700_000) + random.NextDouble()), kind);

    private static DateTime Late(Random random, DateTimeKind kind) => Whole(Early().AddDays(700_001 + random.Next(2_000_000) + random.NextDouble()), kind);

    private static DateTime Whole(DateTime value, DateTimeKind kind) => new(value.Ticks / 10 * 10, kind);
}
