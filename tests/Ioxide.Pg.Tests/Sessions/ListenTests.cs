namespace Ioxide.Pg.Tests;

/// <summary>NOTIFY reaches who listens, also after the connection was lost.</summary>
public class ListenTests
{
    [Fact]
    public async Task NotificationsComeInOrder()
    {
        await using PgFixture fixture = new();
        PgDataSource db = await Databases.OpenAsync<ListenTests>(fixture);
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("Some \"channel\"").GetAsyncEnumerator();
        Task<bool> first = listening.MoveNextAsync().AsTask();
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<ListenTests>();
        await UntilItListensAsync(server, database);
        for (int i = 0; i < 3; i++)
        {
            await server.RunSqlAsync($"select pg_notify('Some \"channel\"', 'payload {i}')", database);
        }

        Assert.True(await first.Within(20.Seconds()));
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal($"payload {i}", listening.Current.Payload);
            Assert.Equal("Some \"channel\"", listening.Current.Channel);
            Assert.False(listening.Current.IsGap);
            if (i < 2)
            {
                Assert.True(await listening.MoveNextAsync().AsTask().Within(20.Seconds()));
            }
        }
    }

    [Fact]
    public async Task ALostConnectionIsMadeAnewAndTheGapIsTold()
    {
        await using PgFixture fixture = new();
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_GAP");
        PgDataSource db = fixture.Own(PgDataSource.Create(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={database}", fixture.Group));
        using var stop = new CancellationTokenSource();
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news", stop.Token).GetAsyncEnumerator(stop.Token);
        Task<bool> next = listening.MoveNextAsync().AsTask();
        await UntilItListensAsync(server, database);
        Assert.Equal("t", await server.RunSqlAsync($"select pg_terminate_backend({Assert.Single(await server.BackendsAsync(database))})"));
        Assert.True(await next.Within(20.Seconds()));
        Assert.True(listening.Current.IsGap);
        await server.RunSqlAsync("notify news, 'again'", database);
        Assert.True(await listening.MoveNextAsync().AsTask().Within(20.Seconds()));
        Assert.Equal("again", listening.Current.Payload);
        Task<bool> last = listening.MoveNextAsync().AsTask();
        stop.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => last.Within(20.Seconds()));
    }

    /// <summary>A backend is there before it takes commands, and those of other databases may have listened too.</summary>
    private static Task UntilItListensAsync(PostgresServer server, string database) => Waits.Eventually(
        () => server.RunSqlAsync(
            $"select count(*) from pg_stat_activity where datname = '{database}' and query like 'LISTEN%' and state = 'idle'").Result == "1",
        20.Seconds());
}
