using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Without pooling each connection has a process of the server for itself, which ends with it.</summary>
public sealed class UnpooledTests : IAsyncDisposable
{
    private static readonly PgStatement s_process = PgStatement.Create("select pg_backend_pid()"u8);

    /// <summary>Other tests count descriptors: the reactors of the process must not outlive the test.</summary>
    public ValueTask DisposeAsync() => new(ProcessReactors.StopAsync());

    [Theory, AllValues]
    public async Task EachOpenIsAProcessThatEndsAtClose(bool ours)
    {
        DbProviderFactory factory = ours ? PgDbProviderFactory.Instance : NpgsqlFactory.Instance;
        string name = $"unpooled {ours}";
        string text = $"{await TextAsync()};Application Name={name};Pooling=false;Minimum Pool Size=2";
        var processes = new HashSet<object>();
        for (int i = 0; i < 4; i++)
        {
            using DbConnection connection = factory.CreateConnection()!; // Both have one.
            connection.ConnectionString = text;
            connection.Open();
            Assert.True(processes.Add(Scalar(connection, "select pg_backend_pid()")));
            Assert.Equal(1L, await CountAsync(name));
            if (i == 2)
            {
                // Neither an open transaction nor a changed setting keeps it.
                _ = connection.BeginTransaction();
                Scalar(connection, "select set_config('work_mem', '1MB', false)");
            }

            connection.Close();
            await Waits.Eventually(() => CountAsync(name).GetAwaiter().GetResult() == 0, 20.Seconds(), "the process has ended");
        }
    }

    [Fact]
    public async Task TheTotalCountsThem()
    {
        int seconds = (int)Waits.Stretched(2.Seconds()).TotalSeconds; // Enough for a connection that is free.
        using var first = new PgDbConnection($"{await TextAsync()};Pooling=false;Maximum Pool Size=1;Timeout={seconds}");
        using var second = new PgDbConnection(first.ConnectionString);
        first.Open();
        Assert.Throws<PgPoolExhaustedException>(second.Open);
        first.Close();
        second.Open();
        Assert.Equal(1, Scalar(second, "select 1"));
    }

    [Fact]
    public async Task ASessionThatNobodyWaitsForAnyMoreLeavesNoConnection()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await TestDatabase.OpenAsync<UnpooledTests>(fixture, static options => options.Pooling = false);
        using var cancel = new CancellationTokenSource();
        await fixture[0].RunAsync(async () =>
        {
            Task<PgSession> opening = db.OpenSessionAsync(cancel.Token).AsTask();
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        });
        await Waits.Eventually(() => db.Opened() == 1, 20.Seconds());
        await Waits.Eventually(() => db.Pools.Sum(static pool => pool.OpenCount) == 0, 20.Seconds());
    }

    [Fact]
    public async Task CommandsOfTheDataSourceShareConnectionsAllTheSame()
    {
        await using PgFixture fixture = new(static options => options.ReactorCount = 1);
        PgDataSource db = await TestDatabase.OpenAsync<UnpooledTests>(fixture, static options =>
        {
            options.Pooling = false;
            options.SharedPerReactor = 1;
        });
        int shared = await db.Query(s_process).ScalarAsync<int>();
        await using (PgSession session = await db.OpenSessionAsync())
        {
            Assert.NotEqual(shared, session.ProcessId);
        }

        Assert.Equal(shared, await db.Query(s_process).ScalarAsync<int>());
        await Waits.Eventually(() => db.Pools.Sum(static pool => pool.OpenCount) == 1, 20.Seconds());
    }

    private static async Task<long> CountAsync(string name)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        return long.Parse(
            await server.RunSqlAsync($"select count(*) from pg_stat_activity where application_name = '{name}'", "postgres", PgUsers.Trust),
            System.Globalization.CultureInfo.InvariantCulture);
    }

    private static object Scalar(DbConnection connection, string sql)
    {
        using DbCommand command = connection.Command(sql);
        return command.ExecuteScalar()!; // One row.
    }

    private static async Task<string> TextAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<UnpooledTests>();
        return $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database={database}";
    }
}
