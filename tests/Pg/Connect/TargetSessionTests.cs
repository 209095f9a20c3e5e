using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A session is of the wanted kind, or it is closed and the next host is tried.</summary>
public class TargetSessionTests() : PgTests(TestDatabase.OneReactor)
{
    /// <summary>A server before version 14 reports neither parameter and is asked.</summary>
    [Theory, AllValues]
    public async Task AStandbyIsNoPrimary(bool isReported)
    {
        await using FakeServer server = FakeServer.Start(Standby(isReported));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.TargetSessionAttributes = PgTargetSession.Primary));

        var error = await Assert.ThrowsAnyAsync<PgConnectionException>(
            () => db.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>().AsTask().Within(20.Seconds()));

        Assert.Contains("Primary", error.ToString(), StringComparison.Ordinal);
        Assert.Equal(0, db.Pools[0].OpenCount);
    }

    [Theory]
    [InlineData("no description", 0, false)]
    [InlineData("no row", 2, false)]
    [InlineData("one column", 1, true)]
    [InlineData("three columns", 3, true)]
    [InlineData("NULL", 2, true)]
    public async Task AServerThatDoesNotAnswerWhatItIsIsNotUsed(string answer, int columns, bool hasRow)
    {
        byte[] description = columns == 0 ? [] : RowDescription([.. Enumerable.Range(0, columns).Select(static i => ($"c{i}", Text, 0))]);
        byte[] row = hasRow ? TextRow([.. Enumerable.Repeat(answer == "NULL" ? null : "off", columns)]) : [];
        await using FakeServer server = FakeServer.Start(Asked().Send(description, row, CommandComplete("SELECT 1"), ReadyForQuery()));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options => options.TargetSessionAttributes = PgTargetSession.Primary));

        var error = await Assert.ThrowsAsync<PgProtocolException>(
            () => db.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>().AsTask().Within(20.Seconds()));

        Assert.Contains("Primary", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, db.Pools[0].OpenCount);
    }

    private static Script Asked() => new Script().ExpectStartup().Send(AuthenticationOk(), BackendKeyData(1, 2), ReadyForQuery()).Expect("Q");

    private static Script Standby(bool isReported)
        => isReported
            ? new Script().ExpectStartup()
                .Send(AuthenticationOk(), ParameterStatus("in_hot_standby", "on"), ParameterStatus("default_transaction_read_only", "off"), BackendKeyData(1, 2), ReadyForQuery())
            : Asked().Send(RowDescription(("a", Text, 0), ("b", Text, 0)), TextRow("on", "on"), CommandComplete("SELECT 1"), ReadyForQuery());
}
