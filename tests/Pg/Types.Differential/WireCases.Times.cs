using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private const long MaxMicroseconds = 86_400_000_000;
    private const int MinPgDays = -2_451_545;
    private const int MaxPgDays = 2_145_031_948;
    private const long MinPgMicroseconds = -211_813_488_000_000_000;
    private const long MaxPgMicroseconds = 9_223_371_331_200_000_000 - 1;

    private static IEnumerable<KeyValuePair<string, WireCase>> Times() =>
    [
        Values("date", static random => DateOnly.FromDayNumber(random.Next(1, DateOnly.MaxValue.DayNumber)), DateOnly.MinValue, DateOnly.MaxValue, new DateOnly(2000, 1, 1), new DateOnly(1999, 12, 31)),
        Mixed("date", static value => value.ToString(), isText: true, static random => new PgDate(random.Next(MinPgDays, MaxPgDays)),
            new PgDate(MinPgDays), new PgDate(MaxPgDays), PgDate.Infinity, PgDate.NegativeInfinity),
        Values("time", static random => new TimeOnly(random.NextInt64(MaxMicroseconds) * 10), TimeOnly.MinValue, new TimeOnly(MaxMicroseconds * 10 - 10)),
        Values("time", static random => new TimeSpan(random.NextInt64(MaxMicroseconds) * 10), TimeSpan.Zero, new TimeSpan(MaxMicroseconds * 10 - 10)),
        Values("timetz", ToOffset, static random => new PgTimeTz(random.NextInt64(MaxMicroseconds), random.Next(-14 * 60, 14 * 60 + 1) * 60),
            new PgTimeTz(0, 0), new PgTimeTz(MaxMicroseconds - 1, 14 * 3600)),
        Mixed("timetz", static value => value.ToString(), isText: true, static random => new PgTimeTz(random.NextInt64(MaxMicroseconds + 1), random.Next(-57_599, 57_600)),
            new PgTimeTz(MaxMicroseconds, -57_599), new PgTimeTz(MaxMicroseconds, 57_599)),
        Values("timestamp", static random => AnyMoment(random, DateTimeKind.Unspecified), DateTime.MinValue, DateTime.MaxValue, new DateTime(DateTime.MaxValue.Ticks / 10 * 10)),
        Mixed("timestamp", static value => value.ToString(), isText: true, static random => new PgTimestamp(random.NextInt64(MinPgMicroseconds, MaxPgMicroseconds)),
            new PgTimestamp(MinPgMicroseconds), new PgTimestamp(MaxPgMicroseconds), PgTimestamp.Infinity, PgTimestamp.NegativeInfinity),
        Values("timestamptz", InfinityOfNoKind, static random => AnyMoment(random, DateTimeKind.Utc), Utc(DateTime.MinValue), Utc(DateTime.MaxValue)),
        Values("timestamptz", static random => new DateTimeOffset(AnyMoment(random, DateTimeKind.Utc)), DateTimeOffset.MinValue, DateTimeOffset.MaxValue),
        Mixed("timestamptz", static value => value.ToString(), isText: true, static random => new PgTimestamp(random.NextInt64(MinPgMicroseconds, MaxPgMicroseconds), IsUtc: true),
            new PgTimestamp(MinPgMicroseconds, IsUtc: true), new PgTimestamp(MaxPgMicroseconds, IsUtc: true), PgTimestamp.Infinity with { IsUtc = true }),
        Values("interval", static random => new TimeSpan(Any64(random) / 20 * 10), TimeSpan.Zero, new TimeSpan(-10), TimeSpan.FromDays(-10_000_000)),
        Values("interval", static value => new NpgsqlInterval(value.Months, value.Days, value.Microseconds), AnyInterval,
            default, new PgInterval(int.MinValue, int.MinValue, long.MinValue + 1), new PgInterval(int.MaxValue, int.MaxValue, long.MaxValue - 1), new PgInterval(1, -1, 1)),
    ];

    private static DateTime AnyMoment(Random random, DateTimeKind kind) => new(random.NextInt64(1, DateTime.MaxValue.Ticks / 10) * 10, kind);

    private static DateTime Utc(DateTime value) => DateTime.SpecifyKind(value, DateTimeKind.Utc);

    private static DateTime InfinityOfNoKind(DateTime value)
        => value == DateTime.MinValue || value == DateTime.MaxValue ? DateTime.SpecifyKind(value, DateTimeKind.Unspecified) : value;

    private static PgInterval AnyInterval(Random random) => new(Any32(random) / 2, Any32(random), Any64(random) / 2);

    private static DateTimeOffset ToOffset(PgTimeTz value) => new(TimeSpan.TicksPerDay + value.TimeOfDay.Ticks, value.Offset);
}
