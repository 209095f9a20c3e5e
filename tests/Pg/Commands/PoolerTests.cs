using System.Data.Common;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Ioxide.Pg.Tests;

/// <summary>Statements keep their meaning behind poolers, and on whichever session of the server a pooler brings them to.</summary>
public class PoolerTests : PgTests
{
    private const int Callers = 16;
    private const int Rounds = 45;

    private static readonly PgStatement s_series = PgStatement.Create("select i from generate_series(1, 100) i"u8);
    private static readonly PgStatement s_names = PgStatement.Create("select name from pg_prepared_statements where name <> '' order by 1"u8);

    [Fact]
    public async Task NoTwoConnectionsGiveAStatementTheSameName()
    {
        var names = new List<string>();
        for (int source = 0; source < 2; source++)
        {
            PgDataSource db = await Databases.OpenAsync<PoolerTests>(Fixture);
            await using PgSession first = await db.OpenSessionAsync();
            await using PgSession second = await db.OpenSessionAsync();
            foreach (PgSession session in (PgSession[])[first, second])
            {
                await session.Query(PgStatement.Create("select 1"u8)).ScalarAsync<int>();
                names.AddRange(await session.Query(s_names).ListAsync(static row => row.GetString(0)!).Within(60.Seconds()));
            }
        }

        Assert.Equal(8, names.Count);
        Assert.Equal(names.Count, names.Distinct().Count());
    }

    [Theory]
    [InlineData("transaction", 0, PgPooler.None)]
    [InlineData("transaction", 0, PgPooler.Transaction)]
    [InlineData("transaction", 100, PgPooler.None)]
    [InlineData("session", 0, PgPooler.None)]
    [InlineData("session", 0, PgPooler.Session)]
    public async Task EveryCommandBehindPgBouncerReturnsItsOwnRows(string mode, int preparedStatements, PgPooler declared)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using PgBouncer bouncer = await PgBouncer.StartAsync(server, mode, preparedStatements);
        using var log = new PoolerLog();
        await using PgDataSource db = await OpenAsync(Fixture, bouncer, log, declared);
        PgStatement[] statements = [.. Enumerable.Range(0, 12).Select(StatementOf)];
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            for (int round = 0; round < Rounds; round++)
            {
                int which = (caller + round) % statements.Length;
                Assert.Equal((which, $"text {which}"), await db.Query(statements[which]).FirstAsync(
                    static row => (row.GetInt32(0), row.GetString(1))).Within(60.Seconds()));
                await using (DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync())
                {
                    Assert.Equal(which, await connection.ScalarAsync(SqlOf(which)));
                }

                if (round % 5 == 0)
                {
                    await CheckInPiecesAsync(db, statements, which);
                }
            }
        }))).Within(120.Seconds());

        // A single pooled session of the server may have served every connection; then nothing was to be noticed.
        Assert.InRange(log.Count(PoolerLog.Noticed), 0, mode == "transaction" && preparedStatements == 0 && declared == PgPooler.None ? 1 : 0);
        Assert.Equal(0, log.Count(PoolerLog.Lost));
    }

    [Fact]
    public async Task APoolerInTransactionModeIsNoticedAndSaidOnce()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PostgresServer server = await PostgresServer.SharedAsync();
        await using PgBouncer bouncer = await PgBouncer.StartAsync(server, "transaction");
        using var log = new PoolerLog();
        await using PgDataSource db = await OpenAsync(fixture, bouncer, log, PgPooler.None);
        PgStatement statement = StatementOf(1);
        await using PgSession first = await db.OpenSessionAsync();
        await using PgSession second = await db.OpenSessionAsync();
        Assert.Equal(1, await first.Query(statement).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds()));

        // A transaction holds the server's session that has the statement: the next use comes to another one.
        await second.RunScriptAsync("begin");
        for (int round = 0; round < 3; round++)
        {
            Assert.Equal(1, await first.Query(statement).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds()));
        }

        Assert.Equal(1, log.Count(PoolerLog.Noticed));
        Assert.Contains("Pooler=Transaction", Assert.Single(log.Messages, static message => message.Contains("pooler", StringComparison.Ordinal)), StringComparison.Ordinal);

        // From now on a transaction is not lost to it either.
        await second.Query(statement).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds());
        await second.Query(StatementOf(2)).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds());
        await second.RunScriptAsync("commit");
        Assert.Equal(1, log.Count(PoolerLog.Noticed));
    }

    [Fact]
    public async Task AStatementThatAFunctionForgotIsNoSignOfAPooler()
    {
        await using PgFixture fixture = new(TestDatabase.OneReactor);
        PostgresServer server = await PostgresServer.SharedAsync();
        using var log = new PoolerLog();
        PgDataSourceOptions options = PgDataSourceOptions.Parse(
            $"Host=127.0.0.1;Port={server.Port};Username={PgUsers.Trust};Database={await server.DatabaseAsync<PoolerTests>()};SSL Mode=Disable");
        TestDatabase.OneConnection(TestDatabase.Patient(options));
        await using PgDataSource db = PgDataSource.Create(options, fixture.Group, log);
        PgStatement statement = StatementOf(3);
        for (int round = 0; round < 3; round++)
        {
            Assert.Equal(3, await db.Query(statement).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds()));
            await db.Query(PgStatement.Create("do $$ begin execute 'deallocate all'; end $$"u8)).ExecuteAsync().Within(60.Seconds());
        }

        Assert.Equal(3, await db.Query(statement).FirstAsync(static row => row.GetInt32(0)).Within(60.Seconds()));
        Assert.Equal((0, 1), (log.Count(PoolerLog.Noticed), log.Count(PoolerLog.Lost)));
        Assert.NotEmpty(await db.Query(s_names).ListAsync(static row => row.GetString(0)!).Within(60.Seconds()));
    }

    private static PgStatement StatementOf(int which) => PgStatement.Create(Encoding.UTF8.GetBytes(SqlOf(which)));

    private static string SqlOf(int which) => string.Create(CultureInfo.InvariantCulture, $"select {which}, 'text {which}'");

    private static async Task<PgDataSource> OpenAsync(PgFixture fixture, PgBouncer bouncer, ILoggerFactory log, PgPooler declared)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        PgDataSourceOptions options = TestDatabase.Patient(PgDataSourceOptions.Parse(
            $"Host=127.0.0.1;Port={bouncer.Port};Username={PgUsers.Trust};Database={await server.DatabaseAsync<PoolerTests>()};SSL Mode=Disable"));

        // No more than PgBouncer has sessions of the server, which it keeps for a connection in session mode.
        options.MaxConnections = PgBouncer.PoolSize;
        options.Pooler = declared;
        return PgDataSource.Create(options, fixture.Group, log);
    }

    private static async Task CheckInPiecesAsync(PgDataSource db, PgStatement[] statements, int which)
    {
        PgBatch batch = db.CreateBatch();
        PgPending<int> first = db.Query(statements[which]).Scalar<int>(batch);
        PgPending<int> second = db.Query(StatementOf(1000 + which)).Scalar<int>(batch);
        await batch.RunAsync().AsTask().Within(60.Seconds());
        Assert.Equal((which, 1000 + which), (first.Result, second.Result));
        int sum = 0;
        await using PgRows rows = await db.Query(s_series).RowsAsync(fetchSize: 7);
        await rows.EachAsync(row => sum += row.GetInt32(0));

        Assert.Equal(5050, sum);
    }

    private sealed class PoolerLog : ILoggerFactory, ILogger
    {
        internal const string Noticed = "PoolerNoticed";
        internal const string Lost = "StatementLost";

        private readonly List<(string? Event, string Message)> _entries = [];

        internal IReadOnlyList<string> Messages
        {
            get
            {
                lock (_entries)
                {
                    return [.. _entries.Select(static entry => entry.Message)];
                }
            }
        }

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            lock (_entries)
            {
                _entries.Add((eventId.Name, formatter(state, exception)));
            }
        }

        public void Dispose()
        {
        }

        internal int Count(string name)
        {
            lock (_entries)
            {
                return _entries.Count(entry => entry.Event == name);
            }
        }
    }
}
