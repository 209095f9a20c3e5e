using System.Globalization;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>NOTIFY reaches who listens, also after the connection was lost.</summary>
public class ListenTests() : SourceTests(hasOneConnection: false)
{
    [Fact]
    public async Task NotificationsComeInOrder()
    {
        await using IAsyncEnumerator<PgNotification> listening = Db.ListenAsync("Some \"channel\"").GetAsyncEnumerator();
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
            Assert.Equal(($"payload {i}", "Some \"channel\""), (listening.Current.Payload, listening.Current.Channel));
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
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_GAP");
        PgDataSource db = Fixture.Own(PgDataSource.Create(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={database}", Fixture.Group));
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

    [Fact]
    public async Task AnIdleReaderMissesNothingBelowTheBound()
    {
        const int Count = 20_000;
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_IDLE");
        PgDataSource db = TestDatabase.Open(fixture, server.Port, static _ => { }, database);
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news").GetAsyncEnumerator();
        Task<bool> first = listening.MoveNextAsync().AsTask();
        await UntilItListensAsync(server, database);
        await using var npgsql = new NpgsqlConnection(Databases.ForNpgsql(server, database));
        await npgsql.OpenAsync();
        await using (var listen = new NpgsqlCommand("listen news", npgsql))
        {
            await listen.ExecuteNonQueryAsync();
        }

        int received = 0;
        npgsql.Notification += (_, _) => received++;
        await server.RunSqlAsync("notify news, '0'", database);
        Assert.True(await first.Within(20.Seconds()));

        // From here on the reader is idle until Npgsql has received them all.
        await server.RunSqlAsync($"select pg_notify('news', i::text) from generate_series(1, {Count}) i", database);
        while (received <= Count)
        {
            await npgsql.WaitAsync().Within(20.Seconds());
        }

        for (int i = 1; i <= Count; i++)
        {
            Assert.True(await listening.MoveNextAsync().Within(20.Seconds()));
            Assert.Equal(i.ToString(CultureInfo.InvariantCulture), listening.Current.Payload);
        }
    }

    [Fact]
    public void BeyondTheBoundOneGapStandsWhereNotificationsAreMissing()
    {
        var queue = new NotificationQueue("news");
        int bytes = NotificationQueue.FixedBytes + 2;
        int room = (int)(NotificationQueue.MaxBytes / bytes);
        var notification = new PgNotification("news", "a", 1, IsGap: false);
        for (int i = 0; i < room; i++)
        {
            Assert.False(queue.Add(notification));
        }

        Assert.True(queue.Add(notification));
        Assert.False(queue.Add(notification));
        for (int i = 0; i < room; i++)
        {
            Assert.True(queue.TryTake(out PgNotification taken));
            Assert.False(taken.IsGap);
        }

        Assert.False(queue.Add(notification with { Payload = "b" }));
        Assert.True(queue.TryTake(out PgNotification gap));
        Assert.True(gap.IsGap);
        Assert.True(queue.TryTake(out PgNotification later));
        Assert.Equal("b", later.Payload);
        Assert.False(queue.TryTake(out _));
    }

    [Fact]
    public async Task ListeningEndsWithItsDataSource()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_CLOSED");
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static _ => { }, database);
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news").GetAsyncEnumerator();
        Task<bool> next = listening.MoveNextAsync().AsTask();
        await UntilItListensAsync(server, database);
        await db.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next.Within(20.Seconds()));
    }

    [Fact]
    public async Task ListeningEndsWithItsDataSourceWhileTheServerIsDown()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        FakeServer server = FakeServer.Start(Script.Welcome().Expect("Q")
            .Send(BackendMessages.CommandComplete("LISTEN"), BackendMessages.ReadyForQuery(), BackendMessages.NotificationResponse(1, "news", "last")));
        PgDataSource db = TestDatabase.Open(fixture, server.Port, static options => options.ReconnectDelay = 600.Seconds());
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news").GetAsyncEnumerator();
        Assert.True(await listening.MoveNextAsync().Within(20.Seconds()));
        await server.DisposeAsync();
        Task<bool> next = listening.MoveNextAsync().AsTask();
        await Waits.Eventually(() => db.Pools[0].Counters.ConnectFailures > 0, 20.Seconds());
        await db.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next.Within(20.Seconds()));
    }

    /// <summary>A connection that was listened on before is reset by what comes before LISTEN, and the server may have notified it until then.</summary>
    [Fact]
    public async Task NotificationsOfAnEarlierListenersChannelAreNotTold()
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().Expect("Q").Send(
            BackendMessages.NotificationResponse(1, "olds", "earlier"), BackendMessages.CommandComplete("LISTEN"), BackendMessages.ReadyForQuery(),
            BackendMessages.NotificationResponse(1, "news", "first")));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static options => options.ReconnectDelay = 600.Seconds());
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news").GetAsyncEnumerator();
        Assert.True(await listening.MoveNextAsync().Within(20.Seconds()));
        Assert.Equal(new PgNotification("news", "first", 1, IsGap: false), listening.Current);
    }

    /// <summary>The server cuts names to 63 bytes, and no character in two.</summary>
    [Fact]
    public async Task AChannelWhoseNameTheServerCutsIsListenedOn()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_LONG");
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static _ => { }, database);
        string channel = new string('c', 62) + "äöü";
        await using IAsyncEnumerator<PgNotification> listening = db.ListenAsync(channel).GetAsyncEnumerator();
        Task<bool> next = listening.MoveNextAsync().AsTask();
        await UntilItListensAsync(server, database);
        await server.RunSqlAsync($"notify {channel}, 'long'", database);
        Assert.True(await next.Within(20.Seconds()));
        Assert.Equal("long", listening.Current.Payload);
    }

    /// <summary>63 bytes are 63 letters in LATIN1, and 31 in UTF-8 or EUC_JP, where these are 62 or 93 bytes of UTF-8.</summary>
    [Theory]
    [InlineData("LATIN1", "éü")]
    [InlineData("UTF8", "éü")]
    [InlineData("EUC_JP", "日本")]
    public async Task TheServersEncodingDecidesWhereANameIsCut(string encoding, string letters)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = $"LISTEN_{encoding}";
        await server.RunSqlAsync($"create database \"{database}\" owner {PgUsers.Trust} encoding '{encoding}' template template0 locale 'C'");
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, static _ => { }, database);
        string[] channels =
        [
            letters + new string('c', 70), new string('c', 57) + letters + "cccccccc", string.Concat(Enumerable.Repeat(letters, 40)), $"it's \\ \"{letters}\"",
        ];
        IAsyncEnumerator<PgNotification>[] listening = [.. channels.Select(channel => db.ListenAsync(channel).GetAsyncEnumerator())];
        Task<bool>[] next = [.. listening.Select(static channel => channel.MoveNextAsync().AsTask())];
        await UntilItListensAsync(server, database, channels.Length);
        await using (PgSession session = await db.OpenSessionAsync().Within(20.Seconds()))
        {
            foreach ((int index, string channel) in channels.Index())
            {
                await session.RunScriptAsync($"notify {SqlName.Quote(channel)}, '{index}'").Within(20.Seconds());
            }
        }

        for (int i = 0; i < channels.Length; i++)
        {
            Assert.True(await next[i].Within(20.Seconds(), channels[i]));
            Assert.Equal($"{i}", listening[i].Current.Payload);
            await listening[i].DisposeAsync();
        }
    }

    [Fact]
    public async Task AConnectionThatWasListenedOnHasNoListenerAfterwards()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync("LISTEN_OVER");
        PgDataSource db = TestDatabase.Open(fixture, server.Port, TestDatabase.OneConnection, database);
        using var stop = new CancellationTokenSource();
        await using (IAsyncEnumerator<PgNotification> listening = db.ListenAsync("news", stop.Token).GetAsyncEnumerator(stop.Token))
        {
            Task<bool> next = listening.MoveNextAsync().AsTask();
            await UntilItListensAsync(server, database);
            await stop.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next.Within(20.Seconds()));
        }

        await using PgSession session = await db.OpenSessionAsync().Within(20.Seconds());
        Assert.Null(session.Connection.Listener);
        Assert.Equal(1, db.Opened());
    }

    /// <summary>A backend is there before it takes commands, and those of other databases may have listened too.</summary>
    private static Task UntilItListensAsync(PostgresServer server, string database, int count = 1) => Waits.Eventually(
        () => server.RunSqlAsync(
            $"select count(*) from pg_stat_activity where datname = '{database}' and query like 'LISTEN%' and state = 'idle'").Result == $"{count}",
        20.Seconds());
}
