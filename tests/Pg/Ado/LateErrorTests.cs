using System.Data;
using System.Data.Common;
using System.Text;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A statement fails behind the rows that a program reads: the program must learn that, because nothing of its command is kept.</summary>
public class LateErrorTests : PgTests
{
    private const string Tables = "create table if not exists late (t text); truncate late";

    public enum Way
    {
        Scalar,
        CloseOfReader,
        DisposalOfReader,
        OutputParameter,
    }

    /// <summary>The columns of a statement are asked for on its first two runs, so the rows before it are there when its value is refused.</summary>
    [Theory, AllValues]
    public Task AValueThatCannotBeSentFailsTheCommand(Way way, bool isAsync) => DataPair.EachAsync<LateErrorTests>(Tables, async connection =>
    {
        for (int run = 0; run < 4; run++)
        {
            await using DbCommand command = connection.Command($"insert into late values ('a') returning 1 as n; insert into late values (@t) -- {way} {isAsync}");
            command.Add("t", "c\ud800");
            await Assert.ThrowsAsync<EncoderFallbackException>(() => RunAsync(command, way, isAsync).Within(20.Seconds()));
            await using DbCommand count = connection.Command("select count(*)::int from late");
            Assert.Equal(0, await count.ExecuteScalarAsync());
        }
    });

    [Theory, AllValues]
    public async Task ALostConnectionFailsTheCommand(Way way, bool isAsync)
    {
        await using FakeServer server = FakeServer.Start(Cut());
        await using DbConnection connection = await OpenAsync(server);
        await using DbCommand command = connection.Command("select 1 as n; select 2");
        await Assert.ThrowsAsync<PgConnectionException>(() => RunAsync(command, way, isAsync).Within(20.Seconds()));
        Assert.NotEqual(ConnectionState.Open, connection.State);
    }

    /// <summary>The caller cancelled nothing: the server's limit, or an administrator, has undone what the row was returned by.</summary>
    [Theory, AllValues]
    public async Task ACancelThatIsNotTheCallersFailsTheCommand(Way way, bool isAsync)
    {
        await using DataPair pair = await DataPair.OpenAsync<LateErrorTests>(Fixture, Tables);

        // Npgsql has no output parameters for several statements.
        foreach (DbConnection connection in way == Way.OutputParameter ? [pair.Ours] : pair.Both)
        {
            await using DbCommand command = connection.Command(
                $"insert into late values ('a') returning 1 as n; select pg_cancel_backend(pg_backend_pid()), pg_sleep(60) -- {way} {isAsync}");
            DbException error = await Assert.ThrowsAnyAsync<DbException>(() => RunAsync(command, way, isAsync).Within(20.Seconds()));
            Assert.Equal("57014", error.SqlState);
            Assert.Equal(0, await connection.ScalarAsync("select count(*)::int from late"));
        }
    }

    /// <summary>Whoever closes a reader has its rows, and set the limit: as in Npgsql. The row comes within the limit.</summary>
    [Theory, AllValues]
    public async Task TheCloseOfAReaderPassesOverTheLimit(bool isDisposal, bool isAsync)
    {
        await using DataPair pair = await DataPair.OpenAsync<LateErrorTests>(Fixture, Tables);
        await AtOnce.RunAsync(CloseAsync, pair.Both);

        async Task CloseAsync(DbConnection connection)
        {
            await using DbCommand command = connection.Command("insert into late values ('a') returning 1 as n; select pg_sleep(600)");
            command.CommandTimeout = (int)Waits.Stretched(3.Seconds()).TotalSeconds;
            await RunAsync(command, isDisposal ? Way.DisposalOfReader : Way.CloseOfReader, isAsync).Within(60.Seconds());
            Assert.Equal(0, await connection.ScalarAsync("select count(*)::int from late"));
        }
    }

    /// <summary>Npgsql returns the value of the row that was undone.</summary>
    [Theory]
    [InlineData(Way.Scalar, false)]
    [InlineData(Way.Scalar, true)]
    [InlineData(Way.OutputParameter, false)]
    [InlineData(Way.OutputParameter, true)]
    public async Task ALimitFailsTheCommandWhoseResultIsAValueOfTheRow(Way way, bool isAsync)
    {
        await using DataPair pair = await DataPair.OpenAsync<LateErrorTests>(Fixture, Tables);
        await using DbCommand command = pair.Ours.Command("insert into late values ('a') returning 1 as n; select pg_sleep(60)");
        command.CommandTimeout = 1;
        await Assert.ThrowsAsync<PgTimeoutException>(() => RunAsync(command, way, isAsync).Within(20.Seconds()));
        Assert.Equal(0, await pair.Ours.ScalarAsync("select count(*)::int from late"));
    }

    /// <inheritdoc cref="ALimitFailsTheCommandWhoseResultIsAValueOfTheRow"/>
    [Theory, Each(Way.Scalar, Way.OutputParameter)]
    public async Task ATokenFailsTheCommandWhoseResultIsAValueOfTheRow(Way way)
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        await using DataPair pair = await DataPair.OpenAsync<LateErrorTests>(Fixture, Tables);
        int process = Assert.IsType<int>(await pair.Ours.ScalarAsync("select pg_backend_pid()"));
        using var source = new CancellationTokenSource();
        await using DbCommand command = pair.Ours.Command("insert into late values ('a') returning 1 as n; select pg_sleep(60)");
        Task running = RunAsync(command, way, isAsync: true, source.Token);
        await server.SleepsAsync(process);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.Within(20.Seconds()));
        Assert.Equal(0, await pair.Ours.ScalarAsync("select count(*)::int from late"));
    }

    [Theory, AllValues]
    public async Task ABatchFailsWhereItsFirstValueWasUndone(bool isAsync)
    {
        await using DataPair pair = await DataPair.OpenAsync<LateErrorTests>(Fixture, Tables);
        await using DbBatch batch = pair.Ours.Batch("insert into late values ('a') returning 1 as n", "select pg_sleep(60)");
        batch.Timeout = 1;
        await Assert.ThrowsAsync<PgTimeoutException>(() => (isAsync ? batch.ExecuteScalarAsync() : Task.Run(batch.ExecuteScalar)).Within(20.Seconds()));
        Assert.Equal(0, await pair.Ours.ScalarAsync("select count(*)::int from late"));
    }

    /// <summary>Whoever closes the connection asks for no result any more.</summary>
    [Theory, AllValues]
    public async Task ACloseOfTheConnectionThrowsNothing(bool isAsync)
    {
        await using FakeServer server = FakeServer.Start(Cut());
        DbConnection connection = await OpenAsync(server);
        await using DbCommand command = connection.Command("select 1 as n; select 2");
        await using DbDataReader reader = await command.ExecuteReaderAsync().Within(20.Seconds());
        await (isAsync ? connection.CloseAsync() : Task.Run(connection.Close)).Within(20.Seconds());
    }

    private static Script Cut() => Script.Welcome()
        .ExpectUntil('H').Send(ParseComplete(), ParameterDescription(), RowDescription(("n", Int4, 1)))
        .ExpectUntil('H').Send(BindComplete(), DataRow([0, 0, 0, 1]), CommandComplete("SELECT 1"))
        .End();

    private async Task<DbConnection> OpenAsync(FakeServer server)
        => await TestDatabase.Open(Fixture, server.Port, static options =>
        {
            TestDatabase.OneConnection(options);
            options.LoadTypes = false;
        }).AsDbDataSource().OpenConnectionAsync().AsTask().Within(20.Seconds());

    private static async Task RunAsync(DbCommand command, Way way, bool isAsync, CancellationToken token = default)
    {
        switch (way)
        {
            case Way.Scalar:
                _ = isAsync ? await command.ExecuteScalarAsync(token) : await Task.Run(command.ExecuteScalar, CancellationToken.None);
                break;
            case Way.OutputParameter:
                command.Add("n", null).Direction = ParameterDirection.Output;
                _ = isAsync ? await command.ExecuteNonQueryAsync(token) : await Task.Run(command.ExecuteNonQuery, CancellationToken.None);
                break;
            default:
                DbDataReader reader = isAsync ? await command.ExecuteReaderAsync(token) : await Task.Run(command.ExecuteReader, CancellationToken.None);
                Task closing = (way, isAsync) switch
                {
                    (Way.CloseOfReader, true) => reader.CloseAsync(),
                    (Way.CloseOfReader, false) => Task.Run(reader.Close, CancellationToken.None),
                    (_, true) => reader.DisposeAsync().AsTask(),
                    _ => Task.Run(reader.Dispose, CancellationToken.None),
                };
                await closing;
                break;
        }
    }
}
