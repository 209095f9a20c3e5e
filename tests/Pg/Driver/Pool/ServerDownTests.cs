using System.Data.Common;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>No server behind the address, reactors that end first, and callers from elsewhere: everybody is told, by the one who knows.</summary>
public class ServerDownTests : PgTests
{
    private static readonly PgStatement s_one = PgStatement.Create("select 1"u8);

    [Theory, Each(1, 2, 20)]
    public async Task EveryCallerIsToldWhyThereIsNoConnection(int callers)
    {
        using Socket nobody = RawSocket.Reserve();
        PgDataSource db = TestDatabase.Open(Fixture, ((IPEndPoint)nobody.LocalEndPoint!).Port);
        await Task.WhenAll(Enumerable.Range(0, callers).Select(caller => Task.Run(async () =>
        {
            for (int round = 0; round < 3; round++)
            {
                var error = await Assert.ThrowsAsync<PgConnectionException>(() => (((caller + round) % 3) switch
                {
                    0 => db.Query(s_one).ScalarAsync<int>().AsTask(),
                    1 => (Task)db.OpenSessionAsync().AsTask(),
                    _ => db.AsDbDataSource().OpenConnectionAsync().AsTask(),
                }).Within(60.Seconds()));
                Assert.Contains("ConnectionRefused", error.Message, StringComparison.Ordinal);
            }
        }))).Within(120.Seconds());
    }

    [Fact]
    public async Task AServerThatIsStartingIsSaidSoAtOnce()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        await using FakeServer server = FakeServer.Start(
            static _ => new Script().ExpectStartup().Send(BackendMessages.ErrorResponse("57P03", "the database system is starting up", "FATAL")).End());
        PgDataSource db = TestDatabase.Open(fixture, server.Port);
        for (int i = 0; i < 3; i++)
        {
            var error = await Assert.ThrowsAsync<PgException>(() => db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
            Assert.Equal(("57P03", true), (error.SqlState, error.IsTransient));

            // One attempt says it to all of them until the next is due.
            Assert.InRange(db.Pools[0].Counters.ConnectFailures, 1, i + 1);
        }
    }

    /// <summary>What a program does that makes its database: it finds none, creates it, and opens the next connection at once.</summary>
    [Fact]
    public async Task ADatabaseThatWasMissingIsAskedForAgainAtOnce()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        await using PostgresServer server = await PostgresServer.StartAsync();
        PgDataSource db = TestDatabase.Open(fixture, server.Port, static options =>
        {
            options.Database = "made_later";
            options.ReconnectDelay = 600.Seconds();
        });
        await using DbDataSource source = db.AsDbDataSource();
        for (int i = 0; i < 2; i++)
        {
            var error = await Assert.ThrowsAsync<PgException>(() => source.OpenConnectionAsync().AsTask().Within(20.Seconds()));
            Assert.Equal(PgSqlState.InvalidCatalogName, error.SqlState);
        }

        await server.DatabaseAsync("made_later");
        await using DbConnection connection = await source.OpenConnectionAsync().AsTask().Within(20.Seconds());
        Assert.Equal("made_later", connection.Database);
    }

    [Fact]
    public async Task BetweenTwoAttemptsNobodyWaits()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        using Socket nobody = RawSocket.Reserve();
        PgDataSource db = TestDatabase.Open(
            fixture, ((IPEndPoint)nobody.LocalEndPoint!).Port, static options => options.ReconnectDelay = 600.Seconds());
        for (int i = 0; i < 3; i++)
        {
            await Assert.ThrowsAsync<PgConnectionException>(() => db.OpenSessionAsync().AsTask().Within(60.Seconds()));
            await Assert.ThrowsAsync<PgConnectionException>(() => db.AsDbDataSource().OpenConnectionAsync().AsTask().Within(60.Seconds()));
            await Assert.ThrowsAsync<PgConnectionException>(() => db.Query(s_one).ScalarAsync<int>().AsTask().Within(60.Seconds()));
        }

        Assert.Equal(1, db.Pools[0].Counters.ConnectFailures);
    }

    [Theory]
    [InlineData(0, null)]
    [InlineData(1, null)]
    [InlineData(0, 3)]
    public async Task ReactorsThatEndBeforeTheDataSourceTellWhoWaits(int minimum, int? total)
    {
        using Socket silent = RawSocket.Listen(64);
        PgDataSource db = TestDatabase.Open(Fixture, ((IPEndPoint)silent.LocalEndPoint!).Port, options =>
        {
            options.MinPerReactor = minimum;
            options.MaxConnections = total;
        });
        Task<int>[] waiting = [.. Enumerable.Range(0, 20).Select(_ => db.Query(s_one).ScalarAsync<int>().AsTask())];
        Task<PgSession>[] sessions = [.. Enumerable.Range(0, 20).Select(_ => db.OpenSessionAsync().AsTask())];
        await Waits.Eventually(() => db.Pools.Sum(static pool => pool.Queue.ShareOfLength) == 40, 60.Seconds());
        await Fixture.Group.DisposeAsync().AsTask().Within(60.Seconds());
        foreach (Task task in (Task[])[.. waiting, .. sessions, db.Query(s_one).ScalarAsync<int>().AsTask(), db.OpenSessionAsync().AsTask()])
        {
            Exception? error = await task.ErrorWithin(60.Seconds());
            Assert.False(error is null or TimeoutException, $"It was told: {error}");
        }
    }

    [Fact]
    public async Task SessionsFromElsewhereAreSpreadWhateverElseIsAsked()
    {
        PgDataSource db = await TestDatabase.OpenAsync<ServerDownTests>(Fixture, static options =>
        {
            options.MaxPerReactor = 2;
            options.SharedPerReactor = 1;
        });
        var sessions = new List<PgSession>();
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
            sessions.Add(await db.OpenSessionAsync().Within(60.Seconds()));
        }

        // One reactor lends all that it has. Commands go to the other.
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(1, await db.Query(s_one).ScalarAsync<int>().Within(60.Seconds()));
        }

        foreach (PgSession session in sessions)
        {
            await session.DisposeAsync();
        }

        Assert.All(db.Pools, static pool => Assert.Equal(0, pool.Sessions));
    }
}
