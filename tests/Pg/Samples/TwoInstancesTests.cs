namespace Ioxide.Pg.Tests;

/// <summary>Two instances of a sample start on one empty database: each finds the tables or makes them, and both serve.</summary>
/// <remarks>
/// A table that is not committed yet holds both up where they meet: its name is taken, and <c>create table if not exists</c> does not see it. It is
/// taken back only once both wait.
/// </remarks>
[Once]
public sealed class TwoInstancesTests
{
    [Theory]
    [InlineData("Database", "world")]
    [InlineData("DapperSample", "notes")]
    public async Task BothServe(string sample, string table)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync($"TWO {sample}");
        string connectionString = $"Host={server.SocketFolder};Port={server.Port};Username={PgUsers.Trust};Database={database}";
        Task<string> holding = server.RunSqlAsync($"begin; create table {table} (); select pg_sleep(3600)", database);
        await CountAsync("wait_event = 'PgSleep'", expected: 1);

        await using HostProcess one = HostProcess.Start(sample, ["--urls", "http://127.0.0.1:0", connectionString]);
        await using HostProcess other = HostProcess.Start(sample, ["--urls", "http://127.0.0.1:0", connectionString]);
        await CountAsync("wait_event_type = 'Lock'", expected: 2);
        await server.RunSqlAsync($"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{database}' and wait_event = 'PgSleep'");
        await Assert.ThrowsAsync<ToolFailedException>(() => holding.Within(20.Seconds()));

        await Task.WhenAll(one.ListeningAsync(), other.ListeningAsync());
        Assert.Equal((0, 0), (await one.StopAsync(), await other.StopAsync()));

        Task<string> CountAsync(string condition, int expected) => Waits.Until(
            () => server.RunSqlAsync($"select count(*) from pg_stat_activity where datname = '{database}' and {condition}"),
            answer => answer == $"{expected}",
            180.Seconds(), condition);
    }
}
