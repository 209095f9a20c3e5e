using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What programs meet at the edges of a command, on the facade and on Npgsql: cancelling, preparing and copies.</summary>
public class CommandEdgeTests : PairTests
{
    public enum Way
    {
        Command,
        AwaitedCommand,
        AwaitedBatch,
    }

    [Theory, Each(Way.Command, Way.AwaitedCommand, Way.AwaitedBatch)]
    public async Task ACancelledCommandIsNoErrorOfTheServer(Way way)
    {
        // A server that is slow to cancel is waited for: 2 s are both drivers' default.
        await using DataPair pair = await DataPair.OpenAsync<CommandEdgeTests>(
            Fixture, "select 1",
            static theirs => theirs.ConnectionStringBuilder.CancellationTimeout = 60_000,
            static ours => ours.CancelTimeout = 60.Seconds());
        foreach (DbConnection connection in pair.Both)
        {
            await using DbBatch batch = connection.Batch("select pg_sleep(600)");
            await using DbCommand command = connection.Command("select pg_backend_pid()");
            int process = (int)(await command.ExecuteScalarAsync())!;
            command.CommandText = "select pg_sleep(600)";
            Task running = way switch
            {
                Way.Command => Task.Run(() => command.ExecuteNonQuery()),
                Way.AwaitedCommand => command.ExecuteScalarAsync(),
                _ => batch.ExecuteNonQueryAsync(),
            };
            PostgresServer server = await PostgresServer.SharedAsync();
            await server.SleepsAsync(process);
            while (!running.IsCompleted)
            {
                command.Cancel();
                batch.Cancel();
                await Task.WhenAny(running, Task.Delay(50));
            }

            OperationCanceledException error = await Assert.ThrowsAsync<OperationCanceledException>(() => running);
            Assert.Equal("57014", Assert.IsType<DbException>(error.InnerException, exactMatch: false).SqlState);

            // The control: what the server cancels of itself is its error.
            command.CommandText = "set statement_timeout = 50; select pg_sleep(600)";
            Assert.Equal("57014", (await Assert.ThrowsAnyAsync<DbException>(() => command.ExecuteNonQueryAsync())).SqlState);
        }
    }

    [Theory, Each(true, false)]
    public async Task ACommandThatIsCancelledBehindAnotherEndsWhenItBegins(bool isBatch)
    {
        await using DataPair pair = await DataPair.OpenAsync<CommandEdgeTests>(
            Fixture, "select 1", configureOurs: static ours => ours.CancelTimeout = 60.Seconds());
        var connection = (PgDbConnection)pair.Ours;
        using var ends = new CancellationTokenSource();
        Task first = connection.Session.RunScriptAsync("select pg_sleep(600)", ends.Token).AsTask();
        PostgresServer server = await PostgresServer.SharedAsync();
        await server.SleepsAsync(connection.Session.ProcessId);
        await using DbCommand command = connection.Command("select pg_sleep(600)");
        await using DbBatch batch = connection.Batch("select pg_sleep(600)");
        Task<int> second = isBatch ? batch.ExecuteNonQueryAsync() : command.ExecuteNonQueryAsync();
        command.Cancel();
        batch.Cancel();
        await ends.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(() => first.Within(20.Seconds()));
        await Assert.ThrowsAsync<OperationCanceledException>(() => second.Within(20.Seconds()));
        Assert.Equal(1, await connection.ScalarAsync("select 1"));
    }

    [Fact]
    public async Task ACommandThatIsCancelledWhileItsReaderIsSlowKeepsItsConnection()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string text = $"{Databases.ForNpgsql(server, await server.DatabaseAsync<CommandEdgeTests>())};SSL Mode=Disable;Cancellation Timeout=300";
        await using var source = new PgDbDataSource(ConnectionText.Get(text), Fixture.Group);
        await using PgDbConnection connection = await source.OpenConnectionAsync();
        object? process = await connection.ScalarAsync("select pg_backend_pid()");
        await using DbCommand command = connection.Command("select repeat('x', 100000) from generate_series(1, 1000000)");
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.True(await reader.ReadAsync());
        int stuck = 0;
        await Waits.Eventually(
            () => (stuck = server.RunSqlAsync($"select wait_event from pg_stat_activity where pid = {process}").Result == "ClientWrite"
                ? stuck + 1 : 0) == 10,
            20.Seconds());
        command.Cancel();

        // The server answers the request once its reader takes the rows that are on their way.
        await Task.Delay(1500.Milliseconds());
        await Assert.ThrowsAsync<OperationCanceledException>(async () =>
        {
            while (await reader.ReadAsync())
            {
            }
        }).Within(60.Seconds());
        await reader.DisposeAsync();
        Assert.Equal(process, await connection.ScalarAsync("select pg_backend_pid()"));
    }

    [Theory]
    [InlineData(true, false, "integer")]
    [InlineData(false, true, "integer")]
    [InlineData(true, true, "integer")]
    [InlineData(false, false, "InvalidOperationException")]
    public async Task ColumnsAndPreparationNeedATypeOrAValue(bool hasType, bool hasValue, string expected)
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = connection.Command("select @a");
            await using DbBatch batch = connection.Batch("select @a");
            DbParameter parameter = Add(command, hasType, hasValue);
            batch.BatchCommands[0].Parameters.Add(((ICloneable)parameter).Clone());
            Assert.Equal(expected, await TypeAsync(() => command.ExecuteReaderAsync(CommandBehavior.SchemaOnly)));
            Assert.Equal(expected, await TypeAsync(() => batch.ExecuteReaderAsync(CommandBehavior.SchemaOnly)));
            Exception? refused = await Record.ExceptionAsync(() => command.PrepareAsync());
            Assert.Equal(expected, refused?.GetType().Name ?? "integer");
            Assert.Equal(expected, Record.Exception(batch.Prepare)?.GetType().Name ?? "integer");
            if (!hasValue)
            {
                // To run, it needs a value.
                await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteReaderAsync());
            }

            if (refused is null)
            {
                parameter.Value = 7;
                Assert.Equal(7, await command.ExecuteScalarAsync());
            }
        }

        static DbParameter Add(DbCommand command, bool hasType, bool hasValue)
        {
            DbParameter parameter = command.CreateParameter();
            parameter.ParameterName = "a";
            if (hasType)
            {
                parameter.DbType = DbType.Int32;
            }

            if (hasValue)
            {
                parameter.Value = 5;
            }

            command.Parameters.Add(parameter);
            return parameter;
        }

        static async Task<string> TypeAsync(Func<Task<DbDataReader>> execute)
        {
            try
            {
                await using DbDataReader reader = await execute();
                Assert.False(await reader.ReadAsync());
                return reader.GetDataTypeName(0);
            }
            catch (InvalidOperationException refused)
            {
                return refused.GetType().Name;
            }
        }
    }

    [Fact]
    public Task PreparationLeavesAStreamUnread() => DataPair.EachAsync<CommandEdgeTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select @a");
        command.Add("a", new MemoryStream([1, 2]));
        await command.PrepareAsync();
        command.Prepare();
        Assert.Equal([1, 2], Assert.IsType<byte[]>(await command.ExecuteScalarAsync()));
    });

    [Fact]
    public async Task ABatchIsPreparedAndSaysWhatIsWrong()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbBatch wrong = connection.Batch("select 1", "selec");
            Assert.Equal("42601", Assert.ThrowsAny<DbException>(wrong.Prepare).SqlState);
            Assert.Equal("42601", (await Assert.ThrowsAnyAsync<DbException>(() => wrong.PrepareAsync())).SqlState);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wrong.PrepareAsync(new CancellationToken(canceled: true)));
            await using DbBatch right = connection.Batch("select 1", "select 2");
            right.Prepare();
            await right.PrepareAsync();
            Assert.Equal(1, await right.ExecuteScalarAsync());
            await using DbBatch none = connection.CreateBatch();
            none.Prepare();
            await none.PrepareAsync();
            none.Connection = null;
            right.Connection = null;
            Assert.Throws<InvalidOperationException>(right.Prepare);
        }

        Assert.Equal(2L, await Pair.Ours.Command("select count(*) from pg_prepared_statements where statement in ('select 1', 'select 2')").ExecuteScalarAsync());
    }

    [Fact]
    public Task AFunctionThatReturnsNothingHasAnObjectThatIsNull() => DataPair.EachAsync<CommandEdgeTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select pg_notify('a', 'b')");
        Assert.Null(await command.ExecuteScalarAsync());
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.Equal((typeof(object), "void"), (reader.GetFieldType(0), reader.GetDataTypeName(0)));
        Assert.True(await reader.ReadAsync());
        Assert.Throws<InvalidCastException>(() => reader.GetString(0));
        await reader.DisposeAsync();
        await using DbDataReader again = await command.ExecuteReaderAsync();
        var table = new DataTable();
        table.Load(again);
        Assert.Equal(typeof(object), table.Columns[0].DataType);
    });

    [Fact]
    public async Task ACopyHasTheSameSettingsAndItsOwnParameters()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = connection.Command("select @a");
            command.CommandTimeout = 7;
            command.DesignTimeVisible = true;
            DbParameter parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.DbType, parameter.Value, parameter.SourceColumn, parameter.Size) = ("a", DbType.Int64, 5, "s", 3);
            command.Parameters.Add(parameter);
            await using DbCommand copy = (DbCommand)((ICloneable)command).Clone();
            parameter.Value = 6;
            DbParameter copied = copy.Parameters[0];
            Assert.Equal(
                ("select @a", 7, connection, ("a", DbType.Int64, "s", 3)),
                (copy.CommandText, copy.CommandTimeout, copy.Connection, (copied.ParameterName, copied.DbType, copied.SourceColumn, copied.Size)));
            Assert.Equal(5L, await copy.ExecuteScalarAsync());
            Assert.Equal(6L, await command.ExecuteScalarAsync());
            await using DbConnection second = (DbConnection)((ICloneable)connection).Clone();
            Assert.Equal((ConnectionState.Closed, connection.Database), (second.State, second.Database));
            await second.OpenAsync();
            Assert.Equal(1, await second.Command("select 1").ExecuteScalarAsync());
        }

        using var unbound = new PgDbConnection("Host=a;Password=b");
        Assert.Equal("Host=a;Password=b", ((PgDbConnection)((ICloneable)unbound).Clone()).ConnectionString);
    }

    [Theory]
    [InlineData("select 1; select 1 / 0; select 2", 2, "True, 22012")]
    [InlineData("select 1; select 2", 2, "True, False, False, False, False")]
    [InlineData("select 1; values (2), (3)", 1, "True, True, True, True, False")]
    [InlineData("values (1), (2)", 2, "True, False, False, False, False")]
    [InlineData("select 1 where false; select 2", 1, "False, False, True, True, False")]
    public Task UnderSingleRowTheReadBehindTheRowReadsAllStatements(string text, int reads, string expected) => DataPair.EachAsync<CommandEdgeTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command(text);
        await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SingleRow);
        List<string> told = [];
        try
        {
            for (int read = 0; read < reads; read++)
            {
                told.Add($"{await reader.ReadAsync()}");
            }

            told.Add($"{reader.HasRows}");
            told.Add($"{await reader.NextResultAsync()}");
            for (int read = 0; read < 3 - reads; read++)
            {
                told.Add($"{await reader.ReadAsync()}");
            }
        }
        catch (DbException error)
        {
            told.Add(error.SqlState!);
        }

        Assert.Equal(expected, string.Join(", ", told));
    });
}
