using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Connections that are made from a connection string alone, beside those of Npgsql.</summary>
public sealed class ConnectionStringTests : IAsyncDisposable
{
    /// <summary>Other tests count descriptors: the reactors of the process must not outlive the test.</summary>
    public ValueTask DisposeAsync() => new(ProcessReactors.StopAsync());

    [Fact]
    public async Task OpensWithNothingButAString()
    {
        await using var connection = new PgDbConnection(await TextAsync());
        await connection.OpenAsync().Within(20.Seconds());
        Assert.Equal(42, Scalar(connection, "select 42"));

        Assert.Equal(connection.Database, Scalar(connection, "select current_database()"));
        Assert.StartsWith("1", connection.ServerVersion, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ConnectionsOfOneStringShareTheirPools()
    {
        string text = await TextAsync();
        int first;
        using (var connection = new PgDbConnection(text))
        {
            connection.Open();
            first = connection.Session.ProcessId;
            await connection.CloseAsync();
        }

        using var again = new PgDbConnection($"Server{text["Host".Length..]}");
        using var other = new PgDbConnection(text + ";Application Name=other");
        again.Open();
        other.Open();
        Assert.Same(Source(text), again.Source);
        Assert.NotSame(again.Source, other.Source);
        Assert.True(first != 0);
    }

    [Fact]
    public async Task AReactorServesItsOwnCallers()
    {
        await using PgFixture fixture = new();
        string text = await TextAsync();
        await fixture[1].RunAsync(async () =>
        {
            using (var connection = new PgDbConnection(text))
            {
                await connection.OpenAsync();
                Assert.Same(fixture.Group, connection.Source.Source.Group);
                Assert.Same(fixture[1], connection.Session.Pool.Reactor);
            }

            using (var connection = new PgDbConnection(text))
            {
                connection.Open();
                await connection.Source.DisposeAsync();
            }

            return true;
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task TheRunningHostsReactorsServeOtherThreads()
    {
        string text = await TextAsync();
        await using PgFixture fixture = new();
        HostReactors.Add(fixture.Group);
        try
        {
            using var connection = new PgDbConnection(text);
            connection.Open();
            Assert.Same(fixture.Group, connection.Source.Group);
            await connection.CloseAsync();
            await connection.Source.DisposeAsync();
        }
        finally
        {
            HostReactors.Remove(fixture.Group);
        }
    }

    [Fact]
    public async Task PoolsEndWithTheirReactorsAndTheNextOpenMakesNewOnes()
    {
        string text = await TextAsync();
        using var connection = new PgDbConnection(text);
        connection.Open();
        ReactorGroup before = connection.Source.Group!;
        connection.Close();
        await ProcessReactors.StopAsync();
        Assert.All(before.Reactors, static reactor => Assert.True(reactor.HasEnded));
        connection.Open();
        Assert.NotSame(before, connection.Source.Group);
        Assert.Equal(1, Scalar(connection, "select 1"));
    }

    [Fact]
    public async Task AStringWhosePoolsAreEmptyMakesRoomForAnother()
    {
        string text = await TextAsync();
        using var connection = new PgDbConnection(text);
        connection.Open();
        PgDbDataSource first = connection.Source;
        connection.Close();
        PgDbConnection.ClearPool(connection);
        await Waits.Eventually(() => first.IsUnused, 20.Seconds(), "the pool is empty");
        using var other = new PgDbConnection(text + ";Application Name=next");
        other.Open();
        Assert.True(first.IsClosed);
        await connection.OpenAsync();
        Assert.NotSame(first, connection.Source);
    }

    [Fact]
    public async Task AStringThatIsBeingOpenedIsKept()
    {
        PgDbDataSource first = await UnusedAsync();
        first.BeginOpen();
        OpenAnother("second");
        Assert.False(first.IsClosed);
        await using (PgSession session = await first.OpenSessionAsync(default).Within(20.Seconds()))
        {
            first.EndOpen();
            OpenAnother("third");
            Assert.False(first.IsClosed);
            Assert.Equal("1", (await session.RunScriptAsync("select 1").Within(20.Seconds())).Rows[0][0]);
        }

        first.Clear();
        await Waits.Eventually(() => first.IsUnused, 20.Seconds(), "the pool is empty");
        OpenAnother("fourth");
        Assert.True(first.IsClosed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => first.OpenSessionAsync(default).Within(20.Seconds()));
        Assert.Throws<ObjectDisposedException>(() => first.OpenSession());

        static async Task<PgDbDataSource> UnusedAsync()
        {
            string text = await TextAsync() + ";Application Name=first";
            using var connection = new PgDbConnection(text);
            connection.Open();
            PgDbDataSource source = connection.Source;
            connection.Close();
            PgDbConnection.ClearPool(connection);
            await Waits.Eventually(() => source.IsUnused, 20.Seconds(), "the pool is empty");
            return source;
        }

        static void OpenAnother(string name)
        {
            using var other = new PgDbConnection($"{TextAsync().Result};Application Name={name}");
            other.Open();
        }
    }

    [Fact]
    public void AnOpenThatEndsDuringTheLookKeepsItsString()
    {
        var opens = new OpenCount();
        Assert.False(opens.TryEndAll(this, _ =>
        {
            Assert.True(opens.TryBegin());
            opens.End();
            return true;
        }));
        Assert.True(opens.TryBegin());
        Assert.False(opens.TryEndAll(this, static _ => true));
        opens.End();
        Assert.False(opens.TryEndAll(this, static _ => false));
        Assert.False(opens.AreOver);
        Assert.True(opens.TryEndAll(this, static _ => true));
        Assert.True(opens.AreOver);
        Assert.False(opens.TryBegin());
        Assert.False(opens.TryEndAll(this, static _ => true));
    }

    [Fact]
    public async Task ClearingClosesWhatIsIdleAndLaterWhatIsInUse()
    {
        string text = await TextAsync() + ";Application Name=cleared";
        using var watcher = new PgDbConnection(await TextAsync());
        watcher.Open();
        using var held = new PgDbConnection(text);
        held.Open();
        using (var idle = new PgDbConnection(text))
        {
            idle.Open();
        }

        Assert.Equal(2L, Count());
        PgDbConnection.ClearAllPools();
        await Waits.Eventually(() => Count() == 1, 20.Seconds(), "the idle connection is closed");
        Assert.Equal(1, Scalar(held, "select 1"));
        held.Close();
        await Waits.Eventually(() => Count() == 0, 20.Seconds(), "the other one too");

        long Count() => (long)Scalar(watcher, "select count(*) from pg_stat_activity where application_name = 'cleared'")!;
    }

    [Fact]
    public async Task AFactoryMakesADataSourceThatEndsWhenItIsDisposed()
    {
        DbDataSource source = PgDbProviderFactory.Instance.CreateDataSource(await TextAsync());
        await using (DbCommand command = source.CreateCommand("select 7"))
        {
            Assert.Equal(7, await command.ExecuteScalarAsync());
        }

        await source.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await source.OpenConnectionAsync());
    }

    [Theory, AllValues]
    public async Task PropertiesFollowTheRulesOfAdoNet(bool ours)
    {
        DbProviderFactory factory = Factory(ours);
        string text = await TextAsync();
        using DbConnection connection = factory.CreateConnection()!;
        Assert.Equal(("", "", "", 15), (connection.ConnectionString, connection.Database, connection.DataSource, connection.ConnectionTimeout));
        Assert.Throws<InvalidOperationException>(connection.Open);
        connection.ConnectionString = text + ";Timeout=7";
        Assert.Equal(text + ";Timeout=7", connection.ConnectionString);
        Assert.Equal(7, connection.ConnectionTimeout);
        Assert.Equal(PgUsers.Trust, Assert.IsType<string>(new PgDbConnectionStringBuilder(text).Username));
        Assert.NotEqual("", connection.DataSource);
        Assert.Throws<InvalidOperationException>(() => connection.ServerVersion);
        Assert.Throws<InvalidOperationException>(() => connection.BeginTransaction());
        Assert.Throws<InvalidOperationException>(() => Scalar(connection, "select 1"));

        var states = new List<(ConnectionState, ConnectionState)>();
        connection.StateChange += (_, change) => states.Add((change.OriginalState, change.CurrentState));
        connection.Open();
        Assert.Throws<InvalidOperationException>(connection.Open);
        Assert.Throws<InvalidOperationException>(() => connection.ConnectionString = text);
        connection.Close();
        connection.Close();
        Assert.Equal([(ConnectionState.Closed, ConnectionState.Open), (ConnectionState.Open, ConnectionState.Closed)], states);
        connection.ConnectionString = null;
        Assert.Equal("", connection.ConnectionString);
        Assert.ThrowsAny<ArgumentException>(() => connection.ConnectionString = "xyzzy=1");
        connection.Dispose();
        Assert.Throws<ObjectDisposedException>(() => connection.ConnectionString = text);
        Assert.Throws<ObjectDisposedException>(connection.Open);
    }

    [Theory, AllValues]
    public async Task AnotherDatabaseIsAnotherSession(bool ours, bool isOfADataSource)
    {
        string text = new PgDbConnectionStringBuilder(await TextAsync()) { Username = PgUsers.Scram, Password = PgUsers.Password }.ConnectionString;
        await using DbDataSource source = Factory(ours).CreateDataSource(text);
        using DbConnection connection = isOfADataSource ? source.CreateConnection() : Factory(ours).CreateConnection()!;
        if (!isOfADataSource)
        {
            connection.ConnectionString = text;
        }

        Assert.Throws<InvalidOperationException>(() => connection.ChangeDatabase("postgres"));
        connection.Open();
        connection.ChangeDatabase("postgres");
        Assert.Equal("postgres", connection.Database);
        Assert.Equal("postgres", Scalar(connection, "select current_database()"));
        Assert.DoesNotContain(PgUsers.Password, connection.ConnectionString, StringComparison.Ordinal);
        Assert.Equal("3D000", Assert.ThrowsAny<DbException>(() => connection.ChangeDatabase("no such database")).SqlState);
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public async Task ADataSourceWithWhatNoStringHoldsKeepsItsDatabase()
    {
        await using PgFixture fixture = new();
        PgDataSource source = await Databases.OpenAsync<ConnectionStringTests>(fixture, "", static options => options.RuntimeParameters["work_mem"] = "5MB");
        await using PgDbConnection connection = await source.AsDbDataSource().OpenConnectionAsync();
        Assert.Throws<NotSupportedException>(() => connection.ChangeDatabase("postgres"));
        Assert.Equal("5MB", Scalar(connection, "show work_mem"));
    }

    [Theory, AllValues]
    public async Task ThePasswordIsShownUntilTheConnectionIsOpenedOrWhereThatIsAskedFor(bool ours, bool isKept)
    {
        using DbConnection connection = Factory(ours).CreateConnection()!;
        string text = new PgDbConnectionStringBuilder(await TextAsync())
        {
            Username = PgUsers.Scram,
            Password = PgUsers.Password,
            PersistSecurityInfo = isKept,
        }.ConnectionString;
        connection.ConnectionString = text;
        Assert.Equal(text, connection.ConnectionString);
        connection.Open();
        Assert.Equal(isKept, connection.ConnectionString.Contains("secret", StringComparison.Ordinal));
        Assert.Contains(PgUsers.Scram, connection.ConnectionString, StringComparison.Ordinal);
        connection.Close();
        Assert.Equal(isKept, connection.ConnectionString.Contains("secret", StringComparison.Ordinal));
        connection.Open();

        // A new one is shown again.
        connection.Close();
        connection.ConnectionString = text;
        Assert.Equal(text, connection.ConnectionString);
    }

    [Fact]
    public async Task AConnectionThatIsLostTellsOfItsNewState()
    {
        await using var connection = new PgDbConnection(await TextAsync());
        await connection.OpenAsync();
        var states = new List<ConnectionState>();
        connection.StateChange += (_, change) => states.Add(change.CurrentState);
        Assert.ThrowsAny<DbException>(() => Scalar(connection, "select pg_terminate_backend(pg_backend_pid())"));
        Assert.ThrowsAny<Exception>(() => Scalar(connection, "select 1"));
        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Equal([ConnectionState.Closed], states);
        await connection.OpenAsync();
        Assert.Equal(1, Scalar(connection, "select 1"));
    }

    [Fact]
    public async Task ADataSourcesStringOpensTheSameWithoutThePassword()
    {
        await using PgFixture fixture = new();
        PgDataSource source = await Databases.OpenAsync<ConnectionStringTests>(fixture, "Password=secret;Max Per Reactor=3");
        string text = source.AsDbDataSource().ConnectionString;
        Assert.DoesNotContain("secret", text, StringComparison.Ordinal);
        Assert.Equal(3, PgDataSourceOptions.Parse(text).MaxPerReactor);
        using var connection = new PgDbConnection(text);
        connection.Open();
        Assert.Equal(source.Options.Database, connection.Database);
        await connection.CloseAsync();
        await ProcessReactors.StopAsync();
    }

    [Fact]
    public async Task AnOpenThatIsCancelledBeforehandIsCancelled()
    {
        using var connection = new PgDbConnection(await TextAsync());
        Task opening = connection.OpenAsync(new CancellationToken(canceled: true));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        Assert.True(opening.IsCanceled);
    }

    private static PgDbDataSource Source(string text) => ConnectionText.Get(text).LastSource!; // It was opened.

    private static DbProviderFactory Factory(bool ours) => ours ? PgDbProviderFactory.Instance : NpgsqlFactory.Instance;

    private static async Task<string> TextAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<ConnectionStringTests>();
        return $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database={database}";
    }

    private static object? Scalar(DbConnection connection, string sql)
    {
        using DbCommand command = connection.Command(sql);
        return command.ExecuteScalar();
    }
}
