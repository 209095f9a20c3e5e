using System.Data;
using System.Data.Common;
using System.Globalization;
using Ioxide.Pg.Data;
using Npgsql;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>Moments of every kind as parameters of every type of time, alone, in arrays and in ranges: sent, or refused, as on Npgsql.</summary>
/// <remarks>What Npgsql sends, the facade sends; what it refuses is refused by an exception that the same <c>catch</c> catches.</remarks>
public class MomentKindTests : PairTests
{
    private static readonly DateTime s_unspecified = new(2024, 2, 29, 1, 2, 3);
    private static readonly DateTime s_utc = DateTime.SpecifyKind(s_unspecified, DateTimeKind.Utc);
    private static readonly DateTime s_local = DateTime.SpecifyKind(s_unspecified, DateTimeKind.Local);
    private static readonly DateTimeOffset s_zero = new(s_unspecified, TimeSpan.Zero);
    private static readonly DateTimeOffset s_two = new(s_unspecified, TimeSpan.FromHours(2));

    private static readonly object[] s_values =
    [
        s_unspecified, s_utc, s_local, s_zero, s_two, new DateOnly(2024, 2, 29), new TimeOnly(1, 2, 3), TimeSpan.FromHours(1), TimeSpan.FromHours(24),
        TimeSpan.FromHours(30), TimeSpan.FromHours(-1), DateTime.MinValue, DateTime.MaxValue,
        DateTime.SpecifyKind(DateTime.MinValue, DateTimeKind.Utc), DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Local),
        new[] { s_unspecified }, new[] { s_utc }, new[] { s_local }, new[] { s_utc, s_local }, new[] { s_unspecified, s_utc }, new[] { s_unspecified, s_local },
        new List<DateTime> { s_utc, s_unspecified }, new[,] { { s_utc, s_unspecified } }, new[] { s_zero }, new[] { s_two }, new[] { s_zero, s_two },
        new[] { new DateOnly(2024, 2, 29) }, new DateTime?[] { s_utc, null }, new DateTime?[] { null, s_utc, s_local }, Array.Empty<DateTime>(),
        Range(s_unspecified, s_unspecified.AddDays(1)), Range(s_utc, s_utc.AddDays(1)), Range(s_local, s_local.AddDays(1)), Range(s_unspecified, s_utc.AddDays(1)),
        Range(s_zero, s_zero.AddDays(1)), Range(s_two, s_two.AddDays(1)), Range(new DateOnly(2024, 2, 28), new DateOnly(2024, 2, 29)),
        new[] { Range(s_unspecified, s_unspecified) }, new[] { Range(s_utc, s_utc) }, new[] { Range(s_utc, s_utc), Range(s_unspecified.AddDays(2), s_unspecified.AddDays(3)) },
        new[] { Range(s_zero, s_zero) }, new[] { Range(s_two, s_two) },
    ];

    private static readonly string?[] s_types =
    [
        null, "timestamp", "timestamptz", "date", "time", "timetz", "interval", "timestamp[]", "timestamptz[]", "date[]", "tsrange", "tstzrange", "daterange",
        "tsmultirange", "tstzmultirange", "datemultirange",
    ];

    [Fact]
    public async Task AMomentIsSentOrRefusedAsOnNpgsql()
    {
        var differences = new List<string>();
        int refused = 0;
        foreach (object value in s_values)
        {
            foreach (string? type in s_types)
            {
                (string? theirText, Exception? theirs) = await DataPair.TryTypeAndTextAsync(Pair.Theirs, ForNpgsql(value), type);
                (string? ourText, Exception? ours) = await DataPair.TryTypeAndTextAsync(Pair.Ours, value, type);
                refused += theirs is null ? 0 : 1;
                bool isSame = theirs is null ? theirText == ourText : ours is not null && DataPair.IsCaught(theirs, ours);
                if (!isSame && !IsMeant(value, type))
                {
                    differences.Add($"{value.GetType().Name} {Describe(value)} as {type}: Npgsql {theirText ?? Name(theirs!)}, facade {ourText ?? Name(ours!)}");
                }
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
        Assert.InRange(refused, 300, s_values.Length * s_types.Length);
    }

    [Theory, Each(DbType.DateTime, DbType.DateTime2, DbType.DateTimeOffset)]
    public async Task AMomentUnderADbTypeIsSentByItsKind(DbType type)
    {
        // Meant: Dapper and other libraries name one DbType for every DateTime, which on Npgsql refuses those of the other kind.
        foreach (DateTime moment in new[] { s_unspecified, s_utc, s_local })
        {
            await using DbCommand command = Pair.Ours.Command("select pg_typeof(@p)::text");
            command.Parameters.Add(new PgDbParameter("p", moment) { DbType = type });
            Assert.Equal(
                moment.Kind == DateTimeKind.Utc ? "timestamp with time zone" : "timestamp without time zone", await command.ExecuteScalarAsync());
        }
    }

    [Fact]
    public async Task ARefusedMomentLeavesTheConnection()
    {
        // The control: Npgsql gives its connection up where a value is refused while it is written.
        await using DbCommand command = Pair.Ours.Command("select @p");
        var parameter = new PgDbParameter("p", s_two);
        command.Parameters.Add(parameter);
        Assert.Throws<ArgumentException>(() => command.ExecuteReader());
        Assert.Throws<ArgumentException>(() => command.ExecuteNonQuery());
        Assert.Throws<ArgumentException>(() => command.ExecuteScalar());
        await Assert.ThrowsAsync<ArgumentException>(() => command.ExecuteReaderAsync());
        await Assert.ThrowsAsync<ArgumentException>(() => command.ExecuteNonQueryAsync());
        ArgumentException refused = await Assert.ThrowsAsync<ArgumentException>(() => command.ExecuteScalarAsync());
        Assert.Contains("ToUniversalTime", refused.Message, StringComparison.Ordinal);
        parameter.Value = s_two.ToUniversalTime();
        Assert.Equal(s_two.UtcDateTime, await command.ExecuteScalarAsync());
    }

    private static PgRange<T> Range<T>(T lower, T upper) => new(lower, true, upper, true);

    private static object ForNpgsql(object value) => value switch
    {
        PgRange<DateTime> range => OfNpgsql(range),
        PgRange<DateTimeOffset> range => OfNpgsql(range),
        PgRange<DateOnly> range => OfNpgsql(range),
        PgRange<DateTime>[] ranges => Array.ConvertAll(ranges, OfNpgsql),
        PgRange<DateTimeOffset>[] ranges => Array.ConvertAll(ranges, OfNpgsql),
        _ => value,
    };

    private static NpgsqlRange<T> OfNpgsql<T>(PgRange<T> range) => new(range.Lower!, range.Upper!);

    // The extremes are the infinities of either type.
    private static bool IsMeant(object value, string? type) => value is DateTime { Ticks: 0, Kind: DateTimeKind.Utc } && type == "timestamp";

    private static string Name(Exception refused) => refused is DbException { SqlState: { } state } ? state : refused.GetType().Name;

    private static string Describe(object value) => value switch
    {
        DateTime moment => $"{moment:s} {moment.Kind}",
        IEnumerable<DateTime> moments => string.Join(',', moments.Select(static moment => moment.Kind)),
        _ => ((FormattableString)$"{value}").ToString(CultureInfo.InvariantCulture),
    };
}
