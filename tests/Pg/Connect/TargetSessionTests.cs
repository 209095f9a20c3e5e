using System.Net;
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

    /// <summary>Neither of two standbys is preferred: the first of them serves, and with a primary behind it the primary does.</summary>
    [Theory, AllValues]
    public async Task APrimaryIsPreferredAndAStandbyIsGoodEnough(bool hasPrimary)
    {
        await using FakeServer standby = FakeServer.Start(Standby(isReported: true).Expect("X"));
        await using FakeServer other = FakeServer.Start(hasPrimary ? Script.Welcome() : Standby(isReported: true));
        PgDataSource db = TestDatabase.Open(Fixture, standby.Port, TestDatabase.OneConnectionWith(options =>
        {
            options.TargetSessionAttributes = PgTargetSession.PreferPrimary;
            options.Hosts = [options.Hosts[0], new PgHost(IPAddress.Loopback.ToString(), other.Port)];
        }));
        await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal((hasPrimary ? other : standby).Port, ((IPEndPoint)session.Connection.Endpoint.EndPoint).Port);
        Assert.Equal(hasPrimary ? (1, 1) : (2, 1), (standby.Sessions.Count, other.Sessions.Count));
    }

    /// <summary>A paused pooler lets clients in and holds what they ask.</summary>
    [Fact]
    public async Task TheQuestionForTheKindIsPartOfConnecting()
    {
        await using FakeServer paused = FakeServer.Start(Asked());
        await using FakeServer other = FakeServer.Start(Script.Welcome());
        PgDataSource db = TestDatabase.Open(Fixture, paused.Port, TestDatabase.OneConnectionWith(options =>
        {
            options.TargetSessionAttributes = PgTargetSession.Primary;
            options.ConnectTimeout = 300.Milliseconds();
            options.CommandTimeout = TimeSpan.Zero;
            options.QueueTimeout = 20.Seconds();
            options.Hosts = [options.Hosts[0], new PgHost(IPAddress.Loopback.ToString(), other.Port)];
        }));
        await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.Equal(other.Port, ((IPEndPoint)session.Connection.Endpoint.EndPoint).Port);
    }

    [Fact]
    public async Task TheLookupOfANameIsPartOfConnecting()
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome());
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, TestDatabase.OneConnectionWith(static options =>
        {
            options.ConnectTimeout = 300.Milliseconds();
            options.QueueTimeout = 20.Seconds();
            options.Hosts = [new PgHost("dead.example"), options.Hosts[0]];
        }));
        using var resolves = new ManualResetEventSlim();
        db.Context.Hosts = new HostResolver(_ =>
        {
            resolves.Wait();
            return [];
        });
        try
        {
            await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
            Assert.Equal(server.Port, ((IPEndPoint)session.Connection.Endpoint.EndPoint).Port);
        }
        finally
        {
            resolves.Set();
        }
    }

    private static Script Asked() => new Script().ExpectStartup().Send(AuthenticationOk(), BackendKeyData(1, 2), ReadyForQuery()).Expect("Q");

    private static Script Standby(bool isReported)
        => isReported
            ? new Script().ExpectStartup()
                .Send(AuthenticationOk(), ParameterStatus("in_hot_standby", "on"), ParameterStatus("default_transaction_read_only", "off"), BackendKeyData(1, 2), ReadyForQuery())
            : Asked().Send(RowDescription(("a", Text, 0), ("b", Text, 0)), TextRow("on", "on"), CommandComplete("SELECT 1"), ReadyForQuery());
}
