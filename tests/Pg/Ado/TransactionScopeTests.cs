using System.Data;
using System.Data.Common;
using System.Transactions;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;
using IsolationLevel = System.Transactions.IsolationLevel;

namespace Ioxide.Pg.Tests;

/// <summary>Connections in an ambient transaction, beside those of Npgsql: it is joined or refused, never ignored.</summary>
public sealed class TransactionScopeTests : IAsyncDisposable
{
    public ValueTask DisposeAsync() => new(ProcessReactors.StopAsync());

    [Theory, AllValues]
    public async Task WhatIsDoneLastsOnlyWhereTheScopeCompletes(bool ours, bool completes)
    {
        string text = await TableAsync();
        using (var scope = new TransactionScope())
        {
            using (DbConnection connection = Open(ours, text))
            {
                Execute(connection, "insert into kept values (1)");
            }

            Assert.Equal(0L, CountOutside(ours, text));
            if (completes)
            {
                scope.Complete();
            }
        }

        Assert.Equal(completes ? 1L : 0L, CountOutside(ours, text));
    }

    [Theory, AllValues]
    public async Task AConnectionThatIsOpenedAgainIsTheSameSession(bool ours)
    {
        string text = await TableAsync();
        using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            int first;
            await using (DbConnection connection = await OpenAsync(ours, text))
            {
                Execute(connection, "insert into kept values (1)");
                first = (int)Scalar(connection, "select pg_backend_pid()")!;
            }

            await using (DbConnection connection = await OpenAsync(ours, text))
            {
                Assert.Equal(first, Scalar(connection, "select pg_backend_pid()"));
                Assert.Equal(1L, Scalar(connection, "select count(*) from kept"));
                Execute(connection, "insert into kept values (2)");
            }

            scope.Complete();
        }

        Assert.Equal(2L, CountOutside(ours, text));
    }

    [Theory, AllValues]
    public async Task ItIsNotJoinedWhereTheStringSaysSo(bool ours)
    {
        string text = await TableAsync();
        using (new TransactionScope())
        {
            using DbConnection connection = Open(ours, text + ";Enlist=false");
            Execute(connection, "insert into kept values (1)");
        }

        Assert.Equal(1L, CountOutside(ours, text));
    }

    [Theory, AllValues]
    public async Task TheConnectionCommitsForItselfAfterTheScope(bool ours)
    {
        string text = await TableAsync();
        DbConnection connection;
        using (new TransactionScope())
        {
            connection = Open(ours, text);
            Execute(connection, "insert into kept values (1)");
        }

        Execute(connection, "insert into kept values (2)");
        connection.Dispose();
        Assert.Equal(1L, CountOutside(ours, text));
    }

    /// <summary>Neither refused nor withdrawn commands have reached the server: the BEGIN is still to be sent.</summary>
    [Theory, AllValues]
    public async Task AFirstCommandThatWasNotSentLeavesTheBeginToTheNext(bool isRefused, bool commits)
    {
        string text = await TableAsync();
        await using PgDbConnection connection = new(text);
        await connection.OpenAsync();
        PgSession session = connection.Session;
        using var transaction = new CommittableTransaction();
        await using (DbCommand command = connection.Command("insert into kept values (1)"))
        {
            if (isRefused)
            {
                await using PgCopyIn copy = await session.CopyInAsync("copy kept from stdin"u8.ToArray());
                connection.EnlistTransaction(transaction);
                await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteNonQueryAsync());
                await copy.CompleteAsync();
            }
            else
            {
                connection.EnlistTransaction(transaction);
                using var source = new CancellationTokenSource();
                using ManualResetEventSlim release = new();
                session.Pool.Reactor.Post(static state => ((ManualResetEventSlim)state!).Wait(), release);
                Task<int> inserting = command.ExecuteNonQueryAsync(source.Token);
                await source.CancelAsync();
                release.Set();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => inserting.Within(20.Seconds()));
            }
        }

        Execute(connection, "insert into kept values (2)");
        Assert.Equal(0L, CountOutside(ours: true, text));
        if (commits)
        {
            transaction.Commit();
        }
        else
        {
            transaction.Rollback();
        }

        Assert.Equal(commits ? 1L : 0L, CountOutside(ours: true, text));
    }

    [Theory]
    [InlineData(false, IsolationLevel.Serializable, "serializable")]
    [InlineData(true, IsolationLevel.Serializable, "serializable")]
    [InlineData(false, IsolationLevel.ReadCommitted, "read committed")]
    [InlineData(true, IsolationLevel.ReadCommitted, "read committed")]
    public async Task TheIsolationIsTheScopes(bool ours, IsolationLevel level, string expected)
    {
        string text = await TableAsync();
        using var scope = new TransactionScope(TransactionScopeOption.Required, new TransactionOptions { IsolationLevel = level });
        using DbConnection connection = Open(ours, text);
        Assert.Equal(expected, Scalar(connection, "show transaction_isolation"));
        Assert.Throws<InvalidOperationException>(() => connection.BeginTransaction());
    }

    [Theory, AllValues]
    public async Task AFailedCommandAbortsTheScope(bool ours)
    {
        string text = await TableAsync();
        var scope = new TransactionScope();
        using (DbConnection connection = Open(ours, text))
        {
            Execute(connection, "insert into kept values (1)");
            Assert.ThrowsAny<DbException>(() => Execute(connection, "select 1/0"));
            scope.Complete();
        }

        if (ours)
        {
            Assert.Throws<TransactionAbortedException>(scope.Dispose);
        }
        else
        {
            // Npgsql takes the server's ROLLBACK for a commit.
            scope.Dispose();
        }

        Assert.Equal(0L, CountOutside(ours, text));
    }

    [Theory, AllValues]
    public async Task AConnectionJoinsATransactionThatItIsGiven(bool ours)
    {
        string text = await TableAsync();
        using DbConnection connection = Open(ours, text);
        using (var transaction = new CommittableTransaction())
        {
            connection.EnlistTransaction(transaction);
            connection.EnlistTransaction(transaction);
            using var other = new CommittableTransaction();
            Assert.Throws<InvalidOperationException>(() => connection.EnlistTransaction(other));
            Execute(connection, "insert into kept values (1)");
            transaction.Rollback();
        }

        Assert.Equal(0L, Scalar(connection, "select count(*) from kept"));
        using (var transaction = new CommittableTransaction())
        {
            connection.EnlistTransaction(transaction);
            Execute(connection, "insert into kept values (2)");
            transaction.Commit();
        }

        Assert.Equal(1L, CountOutside(ours, text));
    }

    [Fact]
    public async Task ATransactionThatTimesOutTakesNoFurtherCommand()
    {
        string text = await TableAsync();
        using var transaction = new CommittableTransaction();
        using DbConnection connection = Open(true, text);
        connection.EnlistTransaction(transaction);
        Execute(connection, "insert into kept values (1)");

        // What the timer of a transaction does, on a thread of its own.
        await Task.Run(transaction.Rollback).Within(20.Seconds());
        Transaction.Current = transaction; // Of this thread: nothing is awaited until it is taken back.
        try
        {
            Assert.Throws<TransactionAbortedException>(() => Execute(connection, "insert into kept values (2)"));
        }
        finally
        {
            Transaction.Current = null;
        }

        Assert.Equal(0L, CountOutside(true, text));
        Execute(connection, "insert into kept values (3)");
        Assert.Equal(1L, CountOutside(true, text));
    }

    /// <summary>The server has the ROLLBACK and has not answered: a command that follows it would be committed at once.</summary>
    [Theory, AllValues]
    public async Task ATransactionWhoseRollbackIsOnItsWayTakesNoFurtherCommand(bool isAsync)
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var answers = new TaskCompletionSource();
        await using FakeServer server = FakeServer.Start(Script.Welcome()
            .ExpectUntil('H').Send(ParseComplete(), ParameterDescription(), NoData(), BindComplete(), CommandComplete("BEGIN"))
            .Send(ParseComplete(), ParameterDescription(), NoData())
            .ExpectUntil('S').Send(BindComplete(), CommandComplete("INSERT 0 1"), ReadyForQuery('T'))
            .Expect("Q")
            .Then(_ =>
            {
                asked.SetResult();
                return Task.CompletedTask;
            })
            .WaitFor(answers.Task).Send(CommandComplete("ROLLBACK"), ReadyForQuery())
            .Then(static async session => Assert.Contains("RESET ALL", (await session.ReadAsync()).Text, StringComparison.Ordinal)));
        using var transaction = new CommittableTransaction();
        await using (var connection = new PgDbConnection($"Host={server.EndPoint.Address};Port={server.Port};Username=u;Password=p;SSL Mode=Disable;Server Compatibility Mode=NoTypeLoading"))
        {
            await connection.OpenAsync().Within(20.Seconds());
            connection.EnlistTransaction(transaction);
            await using DbCommand first = connection.Command("insert into kept values (1)");
            await first.ExecuteNonQueryAsync().Within(20.Seconds());
            Task rollback = Task.Run(transaction.Rollback);
            await asked.Task.Within(20.Seconds());
            await using DbCommand command = connection.Command("insert into kept values (2)");
            await Assert.ThrowsAsync<TransactionAbortedException>(
                () => (isAsync ? command.ExecuteNonQueryAsync() : Task.Run(command.ExecuteNonQuery)).Within(20.Seconds()));
            answers.SetResult();
            await rollback.Within(20.Seconds());
        }

        await server.AssertScriptsEndedAsync();
    }

    /// <summary>Its values are read between the connection's look at the transaction and the send.</summary>
    [Theory, AllValues]
    public async Task ACommandThatIsMadeWhileTheTransactionIsRolledBackDoesNotRun(bool isAsync, bool isBatch)
    {
        string text = await TableAsync();
        using var transaction = new CommittableTransaction();
        using DbConnection connection = Open(true, text);
        connection.EnlistTransaction(transaction);
        Execute(connection, "insert into kept values (1)");
        const string Insert = "insert into kept select unnest(@values)";
        var values = new PgDbParameter("values", Values());
        if (isBatch)
        {
            await using DbBatch batch = connection.CreateBatch();
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = Insert;
            command.Parameters.Add(values);
            batch.BatchCommands.Add(command);
            await Assert.ThrowsAsync<TransactionAbortedException>(
                () => isAsync ? batch.ExecuteNonQueryAsync() : Task.Run(batch.ExecuteNonQuery));
        }
        else
        {
            await using DbCommand command = connection.Command(Insert);
            command.Parameters.Add(values);
            await Assert.ThrowsAsync<TransactionAbortedException>(
                () => isAsync ? command.ExecuteNonQueryAsync() : Task.Run(command.ExecuteNonQuery));
        }

        Assert.Equal(0L, CountOutside(true, text));
        Execute(connection, "insert into kept values (3)");
        Assert.Equal(1L, CountOutside(true, text));

        IEnumerable<int> Values()
        {
            transaction.Rollback();
            yield return 2;
        }
    }

    [Fact]
    public async Task ATransactionThatTimesOutEndsTheCommandThatRuns()
    {
        string text = await TableAsync();
        using var transaction = new CommittableTransaction();
        using DbConnection connection = Open(true, text);
        connection.EnlistTransaction(transaction);
        Execute(connection, "insert into kept values (1)");
        await using DbCommand command = connection.Command("select pg_sleep(600)");
        command.CommandTimeout = 0;
        Task<int> running = command.ExecuteNonQueryAsync();
        await Task.Run(transaction.Rollback).Within(60.Seconds());
        await Assert.ThrowsAsync<OperationCanceledException>(() => running.Within(60.Seconds()));
        Assert.Equal(0L, Scalar(connection, "select count(*) from kept"));
    }

    [Fact]
    public async Task AScopeThatEndsBeforeItsReaderIsRolledBack()
    {
        string text = await TableAsync();
        var scope = new TransactionScope();
        using DbConnection connection = Open(true, text);
        Execute(connection, "insert into kept values (1)");
        using DbCommand command = connection.Command("select generate_series(1, 1000000)");
        DbDataReader reader = command.ExecuteReader();
        Assert.True(reader.Read());
        scope.Complete();
        Assert.Throws<TransactionAbortedException>(scope.Dispose);
        Assert.ThrowsAny<DbException>(() =>
        {
            while (reader.Read())
            {
            }
        });
        reader.Dispose();
        Assert.Equal(0L, CountOutside(true, text));
    }

    [Fact]
    public async Task AScopeWorksOnAReactor()
    {
        string text = await TableAsync();
        await using PgFixture fixture = new();
        await fixture[0].RunAsync(async () =>
        {
            using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
            {
                await using DbConnection connection = await OpenAsync(true, text);
                Execute(connection, "insert into kept values (1)");
                scope.Complete();
            }

            PgDbDataSource source = ConnectionText.Get(text).LastSource!; // It was opened.
            await source.DisposeAsync();
            return true;
        }).Within(20.Seconds());
        await fixture.DisposeAsync();
        Assert.Equal(1L, CountOutside(true, text));
    }

    [Theory, AllValues]
    public async Task TwoOpenConnectionsAbortWhereTheServerHasNoPreparedTransactions(bool ours)
    {
        string text = await TableAsync();
        var scope = new TransactionScope();
        using (DbConnection first = Open(ours, text))
        using (DbConnection second = Open(ours, text))
        {
            Execute(first, "insert into kept values (1)");
            Execute(second, "insert into kept values (2)");
            scope.Complete();
        }

        TransactionAbortedException error = Assert.Throws<TransactionAbortedException>(scope.Dispose);
        if (ours)
        {
            Assert.Contains("max_prepared_transactions", error.InnerException?.Message, StringComparison.Ordinal);
        }

        Assert.Equal(0L, CountOutside(ours, text));
    }

    [Theory, AllValues]
    public async Task TwoOpenConnectionsCommitTogetherWhereItHas(bool ours, bool completes)
    {
        await using PostgresServer server = await PostgresServer.StartAsync(new PostgresServerOptions { Settings = new Dictionary<string, string> { ["max_prepared_transactions"] = "10" } });
        string text = $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Super};Database=postgres";
        await server.RunSqlAsync("create table kept (x int)", "postgres", PgUsers.Super);
        using (var scope = new TransactionScope())
        {
            using DbConnection first = Open(ours, text);
            using DbConnection second = Open(ours, text);
            using DbConnection idle = Open(ours, text);
            Execute(first, "insert into kept values (1)");
            Execute(second, "insert into kept values (2)");
            if (completes)
            {
                scope.Complete();
            }
        }

        Assert.Equal(completes ? 2L : 0L, CountOutside(ours, text));
        using DbConnection after = Open(ours, text);
        Assert.Equal(0L, Scalar(after, "select count(*) from pg_prepared_xacts"));
        await after.CloseAsync();
        Npgsql.NpgsqlConnection.ClearAllPools();
        await ProcessReactors.StopAsync();
    }

    private static DbConnection Make(bool ours, string text) => ours ? new PgDbConnection(text) : new Npgsql.NpgsqlConnection(text);

    private static DbConnection Open(bool ours, string text)
    {
        DbConnection connection = Make(ours, text);
        connection.Open();
        return connection;
    }

    private static async Task<DbConnection> OpenAsync(bool ours, string text)
    {
        DbConnection connection = Make(ours, text);
        await connection.OpenAsync().Within(20.Seconds());
        return connection;
    }

    private static long CountOutside(bool ours, string text)
    {
        using var scope = new TransactionScope(TransactionScopeOption.Suppress);
        using DbConnection connection = Open(ours, text);
        return (long)Scalar(connection, "select count(*) from kept")!;
    }

    private static void Execute(DbConnection connection, string sql)
    {
        using DbCommand command = connection.Command(sql);
        command.ExecuteNonQuery();
    }

    private static object? Scalar(DbConnection connection, string sql)
    {
        using DbCommand command = connection.Command(sql);
        return command.ExecuteScalar();
    }

    private static async Task<string> TableAsync()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<TransactionScopeTests>();
        await server.RunSqlAsync("drop table if exists kept; create table kept (x int)", database, PgUsers.Trust);
        return $"Host={server.EndPoint.Address};Port={server.Port};Username={PgUsers.Trust};Database={database};Maximum Pool Size=10";
    }
}
