using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Synchronous ADO.NET on a reactor blocks its handler, and the reactor answers it inside the wait.</summary>
public class BlockedFacadeTests() : PgTests(TestDatabase.OneReactor)
{
    [Theory]
    [InlineData("Open", "disable")]
    [InlineData("Scalar", "disable")]
    [InlineData("NonQuery", "disable")]
    [InlineData("Reader", "disable")]
    [InlineData("CloseEarly", "disable")]
    [InlineData("UnreadError", "disable")]
    [InlineData("Commit", "disable")]
    [InlineData("Rollback", "disable")]
    [InlineData("DisposeTransaction", "disable")]
    [InlineData("Savepoint", "disable")]
    [InlineData("Batch", "disable")]
    [InlineData("Error", "disable")]
    [InlineData("Reader", "require")]
    [InlineData("Commit", "require")]
    public async Task ASynchronousCallIsAnswered(string kind, string sslMode)
    {
        PgDbDataSource source = await SourceAsync(Fixture, $"SSL Mode={sslMode}");
        for (int round = 0; round < 2; round++)
        {
            string expected = kind == "Open" ? "Open" : "7";
            Assert.Equal(expected, await Fixture[0].RunAsync(() => Call(source, kind)).Within(30.Seconds(), kind));
        }

        Assert.True(Fixture[0].Blocked.Count >= 1, "the ring turned inside the wait");
        Assert.False(Fixture[0].IsBlocked);
    }

    [Fact]
    public async Task SixtyAtOnceOnTwoReactorsAreAllAnswered()
    {
        await using PgFixture fixture = new();
        PgDbDataSource source = await SourceAsync(fixture, "max_per_reactor=4");
        Task<int>[] handlers = [.. Enumerable.Range(0, 60).Select(i => fixture[i % 2].RunAsync(async () =>
        {
            await Task.Yield();
            using PgDbConnection connection = source.CreateConnection();
            connection.Open();
            using DbTransaction transaction = connection.BeginTransaction();
            using PgDbCommand command = new("select i from generate_series(1, 2000) i", connection);
            int count = 0;
            using (DbDataReader reader = command.ExecuteReader())
            {
                while (reader.Read())
                {
                    count++;
                }
            }

            transaction.Commit();
            return count;
        }))];

        Assert.All(await Task.WhenAll(handlers).Within(120.Seconds()), static count => Assert.Equal(2000, count));
        Assert.True(fixture[0].Blocked.Count + fixture[1].Blocked.Count >= 1);
    }

    [Fact]
    public async Task ASynchronousCallBehindAnAwaitIsAnswered()
    {
        PgDbDataSource source = await SourceAsync(Fixture, "max_per_reactor=1");
        int sum = await Fixture[0].RunAsync(async () =>
        {
            int sum = 0;
            await using PgDbConnection connection = await source.OpenConnectionAsync();
            for (int i = 0; i < 10; i++)
            {
                using PgDbCommand command = new($"select {i}", connection);
                sum += (int)(await command.ExecuteScalarAsync())!;
                sum += (int)command.ExecuteScalar()!;
                await using DbDataReader reader = await command.ExecuteReaderAsync();
                Assert.True(reader.Read());
                Assert.False(reader.Read());
            }

            return sum;
        }).Within(30.Seconds());

        Assert.Equal(90, sum);
    }

    [Fact]
    public async Task ASynchronousCallOfALibraryThatLeftTheContextIsAnswered()
    {
        PgDbDataSource source = await SourceAsync(Fixture);

        // The first open also reads the types of the database, and leaves the reactor.
        await (await source.OpenConnectionAsync()).DisposeAsync();
        int sum = await Fixture[0].RunAsync(() => LibraryAsync(source, Fixture[0])).Within(30.Seconds());

        Assert.Equal(5000 + 41, sum);
    }

    [Fact]
    public async Task TheAnswersOfABlockedReactorComeOnTheThreadPool()
    {
        PgDbDataSource source = await SourceAsync(Fixture);
        using var release = new ManualResetEventSlim();
        Task<(Reactor?, object?)> asking = Fixture[0].RunAsync(async () =>
        {
            await using PgDbConnection connection = await source.OpenConnectionAsync();
            await using PgDbCommand command = new("select 5 from pg_sleep(0.3)", connection);
            object? result = await command.ExecuteScalarAsync();
            return (Reactor.Current, result);
        });
        Task holding = Fixture[0].RunAsync(() => release.Wait(60.Seconds()));
        Assert.Equal((null, 5), await asking.Within(20.Seconds()));
        Assert.True(Fixture[0].IsBlocked);
        release.Set();
        await holding.Within(20.Seconds());
    }

    private static async Task<int> LibraryAsync(PgDbDataSource source, Reactor reactor)
    {
        await using PgDbConnection connection = await source.OpenConnectionAsync().ConfigureAwait(false);
        await using PgDbCommand command = new("select 41", connection);
        await command.ExecuteScalarAsync().ConfigureAwait(false);
        Assert.Same(reactor, Reactor.Current);
        Assert.Null(SynchronizationContext.Current);
        int sum = (int)command.ExecuteScalar()!;
        command.CommandText = "select repeat('x', 100) from generate_series(1, 5000)";
        DbDataReader reader = await command.ExecuteReaderAsync().ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            while (reader.Read())
            {
                sum++;
            }
        }

        Assert.Same(reactor, Reactor.Current);
        using PgDbConnection other = source.CreateConnection();
        other.Open();
        return sum;
    }

    private static string Call(PgDbDataSource source, string kind)
    {
        using PgDbConnection connection = source.CreateConnection();
        connection.Open();
        switch (kind)
        {
            case "Open":
                return connection.State.ToString();
            case "Scalar":
                return $"{Scalar(connection, "select 7")}";
            case "NonQuery":
                Execute(connection, "create temp table n (i int)");
                return $"{Execute(connection, "insert into n select generate_series(1, 7)")}";
            case "Reader":
                return Read(connection);
            case "CloseEarly":
                using (PgDbCommand command = new("select repeat('x', 1000) from generate_series(1, 3000); select 1", connection))
                using (DbDataReader reader = command.ExecuteReader())
                {
                    Assert.True(reader.Read());
                }

                return $"{Scalar(connection, "select 7")}";
            case "UnreadError":
                using (PgDbCommand command = new("select 1; select 1/0", connection))
                {
                    DbDataReader reader = command.ExecuteReader();
                    Assert.Equal(PgSqlState.DivisionByZero, Assert.Throws<PgException>(reader.Close).SqlState);
                }

                return $"{Scalar(connection, "select 7")}";
            case "Error":
                Assert.Equal(PgSqlState.DivisionByZero, Assert.Throws<PgException>(() => Scalar(connection, "select 1/0")).SqlState);
                return $"{Scalar(connection, "select 7")}";
            case "Batch":
                using (DbBatch batch = connection.CreateBatch())
                {
                    DbBatchCommand first = batch.CreateBatchCommand();
                    first.CommandText = "select 7";
                    batch.BatchCommands.Add(first);
                    Assert.Equal(-1, batch.ExecuteNonQuery());
                    return $"{batch.ExecuteScalar()}";
                }

            default:
                return Transact(connection, kind);
        }
    }

    private static string Transact(PgDbConnection connection, string kind)
    {
        Execute(connection, "create temp table t (i int)");
        DbTransaction transaction = connection.BeginTransaction();
        Execute(connection, "insert into t values (3)");
        if (kind == "Savepoint")
        {
            transaction.Save("here");
            Execute(connection, "insert into t values (100)");
            transaction.Rollback("here");
            transaction.Release("here");
        }

        switch (kind)
        {
            case "Commit" or "Savepoint":
                transaction.Commit();
                break;
            case "Rollback":
                transaction.Rollback();
                break;
        }

        transaction.Dispose();
        long kept = (long)Scalar(connection, "select count(*) from t")!;
        Assert.Equal(kind is "Commit" or "Savepoint" ? 1 : 0, kept);
        return "7";
    }

    private static string Read(PgDbConnection connection)
    {
        using PgDbCommand command = new("select i, repeat('x', 100) from generate_series(1, 5000) i; select 7", connection);
        using DbDataReader reader = command.ExecuteReader();
        int rows = 0;
        while (reader.Read())
        {
            Assert.Equal(++rows, reader.GetInt32(0));
            Assert.Equal(100, reader.GetString(1).Length);
        }

        Assert.Equal(5000, rows);
        Assert.True(reader.NextResult());
        Assert.True(reader.Read());
        return $"{reader.GetInt32(0)}";
    }

    private static int Execute(PgDbConnection connection, string sql)
    {
        using PgDbCommand command = new(sql, connection);
        return command.ExecuteNonQuery();
    }

    private static object? Scalar(PgDbConnection connection, string sql)
    {
        using PgDbCommand command = new(sql, connection);
        return command.ExecuteScalar();
    }

    private static async Task<PgDbDataSource> SourceAsync(PgFixture fixture, string settings = "")
        => (await Databases.OpenAsync<BlockedFacadeTests>(fixture, settings)).AsDbDataSource();
}
