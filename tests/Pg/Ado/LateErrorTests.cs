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

    private static async Task RunAsync(DbCommand command, Way way, bool isAsync)
    {
        switch (way)
        {
            case Way.Scalar:
                _ = isAsync ? await command.ExecuteScalarAsync() : await Task.Run(command.ExecuteScalar);
                break;
            case Way.OutputParameter:
                command.Add("n", null).Direction = ParameterDirection.Output;
                _ = isAsync ? await command.ExecuteNonQueryAsync() : await Task.Run(command.ExecuteNonQuery);
                break;
            default:
                DbDataReader reader = isAsync ? await command.ExecuteReaderAsync() : await Task.Run(command.ExecuteReader);
                Task closing = (way, isAsync) switch
                {
                    (Way.CloseOfReader, true) => reader.CloseAsync(),
                    (Way.CloseOfReader, false) => Task.Run(reader.Close),
                    (_, true) => reader.DisposeAsync().AsTask(),
                    _ => Task.Run(reader.Dispose),
                };
                await closing;
                break;
        }
    }
}
