namespace Ioxide.Pg.Tests;

/// <summary>Values of every place of a parameter list arrive, on the shared lane and in a session.</summary>
public class ParameterTests : OneConnectionTests
{
    private static readonly Guid s_guid = new("00112233-4455-6677-8899-aabbccddeeff");

    [Theory, AllValues]
    public async Task OneToSixValuesArriveInTheirPlaces(bool inSession)
    {
        PgDataSource db = await TestDatabase.OpenAsync<ParameterTests>(Fixture, static _ => { });
        await using PgSession session = await db.OpenSessionAsync();
        PgExecutor executor = inSession ? session : db;
        Assert.Equal("0", await executor.Query(PgStatement.Create("select '0'"u8)).ScalarAsync<string>());
        Assert.Equal("1", await executor.Query(PgStatement.Create<int>("select format('%s', $1)"u8), 1).ScalarAsync<string>());
        Assert.Equal("1b", await executor.Query(PgStatement.Create<int, string>("select format('%s%s', $1, $2::text)"u8), 1, "b").ScalarAsync<string>());
        Assert.Equal(
            "1bt",
            await executor.Query(PgStatement.Create<int, string, bool>("select format('%s%s%s', $1, $2::text, $3)"u8), 1, "b", true).ScalarAsync<string>());
        Assert.Equal(
            "1bt4",
            await executor.Query(
                PgStatement.Create<int, string, bool, long>("select format('%s%s%s%s', $1, $2::text, $3, $4)"u8), 1, "b", true, 4L).ScalarAsync<string>());
        Assert.Equal(
            "1bt45.50",
            await executor.Query(
                PgStatement.Create<int, string, bool, long, decimal>("select format('%s%s%s%s%s', $1, $2::text, $3, $4, $5)"u8),
                1, "b", true, 4L, 5.50m).ScalarAsync<string>());
        Assert.Equal(
            $"1bt45.50{s_guid}",
            await executor.Query(
                PgStatement.Create<int, string, bool, long, decimal, Guid>("select format('%s%s%s%s%s%s', $1, $2::text, $3, $4, $5, $6)"u8),
                1, "b", true, 4L, 5.50m, s_guid).ScalarAsync<string>());
    }

    [Fact]
    public async Task AValueMayHaveAnotherTypeOrNoneInAnyPlace()
    {
        PgStatement<DateTime, int?, DateTime, string?, DateTime, int> statement = PgStatement.Create<DateTime, int?, DateTime, string?, DateTime, int>(
            "select format('%s %s %s %s %s %s', pg_typeof($1), $2::int, pg_typeof($3), $4::text, pg_typeof($5), $6::int)"u8);
        for (int kinds = 0; kinds < 8; kinds++)
        {
            int? number = kinds % 2 == 0 ? null : kinds;
            string? text = kinds % 3 == 0 ? null : "text";
            string answer = await Db.Query(statement, Make(kinds & 1), number, Make(kinds & 2), text, Make(kinds & 4), kinds).ScalarAsync<string>();
            Assert.Equal($"{NameOf(kinds & 1)} {number} {NameOf(kinds & 2)} {text} {NameOf(kinds & 4)} {kinds}", answer);
        }

        Assert.Equal(7, statement.VariantCount);
    }

    private static DateTime Make(int isUtc) => new(2024, 2, 29, 0, 0, 0, isUtc == 0 ? DateTimeKind.Unspecified : DateTimeKind.Utc);

    private static string NameOf(int isUtc) => isUtc == 0 ? "timestamp without time zone" : "timestamp with time zone";
}
