using System.Data;
using System.Data.Common;
using System.Text;
using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>Long rows as a server may send them: in slices of any length, cut off, torn, or not at all when the reader waits.</summary>
public class SequentialWireTests() : PgTests(TestDatabase.OneReactor)
{
    private const int Bytea = 17;
    private const int LongBytes = LongMessage.MaxGatheredRowBytes + 1_000;

    private static readonly byte[] s_long = [.. Enumerable.Range(0, LongBytes).Select(static i => (byte)(i * 31))];
    private static readonly byte[] s_text = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("aä€😀", 9_000)));

    private static byte[] Description => [.. ParseComplete(), .. ParameterDescription(), .. RowDescription(("id", Int4, 0), ("bytes", Bytea, 0), ("none", Text, 0), ("text", Text, 0))];

    private static byte[] Row => DataRow([0, 0, 0, 7], s_long, null, s_text);

    private static byte[] Answer => [.. BindComplete(), .. Row, .. DataRow([0, 0, 0, 8], [], null, []), .. CommandComplete("SELECT 2"), .. ReadyForQuery()];

    [Theory, Each(3, 11, 977, 65_536)]
    public async Task ARowInSlicesOfAnyLengthIsReadWhole(int sliceBytes)
    {
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer), Delivery.Slices(sliceBytes));
        await using DbConnection connection = await OpenAsync(Fixture, server);
        await using DbDataReader reader = await RunAsync(connection).Within(30.Seconds());
        Assert.True(await reader.ReadAsync().Within(30.Seconds()));
        Assert.Equal(7, reader.GetInt32(0));
        using var copy = new MemoryStream();
        await reader.GetStream(1).CopyToAsync(copy).Within(60.Seconds());
        Assert.True(s_long.AsSpan().SequenceEqual(copy.ToArray()));
        Assert.True(await reader.IsDBNullAsync(2));
        string text = await (await reader.GetFieldValueAsync<TextReader>(3)).ReadToEndAsync().Within(60.Seconds());
        Assert.Equal(Encoding.UTF8.GetString(s_text), text);
        Assert.True(await reader.ReadAsync().Within(30.Seconds()));
        Assert.Equal((8, ""), (reader.GetInt32(0), reader.GetString(3)));
        Assert.False(await reader.ReadAsync().Within(30.Seconds()));
    }

    [Theory, AllValues]
    public async Task AConnectionThatEndsInAValueFailsTheStreamAndWhatIsReadBehindIt(bool isReset)
    {
        byte[] start = [.. Welcome().SelectMany(static message => message), .. Description, .. BindComplete(), .. Row];
        await using FakeServer server = FakeServer.Start(
            Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer), Delivery.Cut(start.Length - s_text.Length - 1_000, isReset));
        await using DbConnection connection = await OpenAsync(Fixture, server);
        await using DbDataReader reader = await RunAsync(connection).Within(30.Seconds());
        DbException error = await Assert.ThrowsAnyAsync<DbException>(async () =>
        {
            Assert.True(await reader.ReadAsync().Within(30.Seconds()));
            await reader.GetStream(1).CopyToAsync(Stream.Null).Within(30.Seconds());
        });
        Assert.IsType<PgConnectionException>(error);
        Assert.Throws<InvalidOperationException>(() => reader.GetString(3));
        Assert.False(await reader.ReadAsync());
    }

    [Fact]
    public async Task ATornLongRowEndsTheConnection()
    {
        byte[] torn = Row;
        torn[5 + 2 + 4 + 4] = 1; // The length of the bytes: longer than the row.
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send([.. BindComplete(), .. torn]), Delivery.Slices(5_000));
        await using DbConnection connection = await OpenAsync(Fixture, server);
        DbException error = await Assert.ThrowsAnyAsync<DbException>(async () =>
        {
            await using DbDataReader reader = await RunAsync(connection).Within(30.Seconds());
            Assert.True(await reader.ReadAsync().Within(30.Seconds()));
            await reader.GetStream(1).CopyToAsync(Stream.Null).Within(30.Seconds());
        });
        Assert.IsType<PgProtocolException>(error.InnerException);
        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Fact]
    public async Task AReadThatWaitsForTheServerIsCancelledAndTheConnectionServesOn()
    {
        TaskCompletionSource cancelled = Waits.Signal();
        int half = Row.Length / 3;
        await using FakeServer server = FakeServer.Start(index => index > 0
            ? new Script().Then(async session =>
            {
                await session.ReadUntypedAsync();
                cancelled.SetResult();
            }).End()
            : Script.Welcome().ExpectUntil('H').Send(Description).ExpectUntil('S').Send([.. BindComplete(), .. Row[..half]])
                .WaitFor(cancelled.Task).Send([.. Row[half..], .. ErrorResponse("57014", "canceling statement due to user request"), .. ReadyForQuery()])
                .ExpectUntil('H').Send(Description).ExpectUntil('S').Send(Answer));
        await using DbConnection connection = await OpenAsync(Fixture, server);
        await using (DbDataReader reader = await RunAsync(connection).Within(30.Seconds()))
        {
            Assert.True(await reader.ReadAsync().Within(30.Seconds()));
            Stream stream = reader.GetStream(1);
            while (stream.CanRead)
            {
                // A token that is cancelled between two reads leaves the command alone, and the next read waits.
                using var cancellation = new CancellationTokenSource();
                Task reading = stream.CopyToAsync(Stream.Null, cancellation.Token);
                await cancellation.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.Within(30.Seconds()));
            }

            await Assert.ThrowsAsync<ObjectDisposedException>(() => stream.CopyToAsync(Stream.Null));
        }

        await using DbDataReader next = await RunAsync(connection).Within(30.Seconds());
        Assert.True(await next.ReadAsync().Within(30.Seconds()));
        Assert.Equal(7, next.GetInt32(0));
    }

    [Fact]
    public async Task ARunThatIsRepeatedShowsNoRowOfTheFirst()
    {
        byte[] rows = [.. Enumerable.Range(0, 3_000).SelectMany(static _ => Int4Row(1))];
        byte[] description = [.. ParseComplete(), .. ParameterDescription(), .. RowDescription(("id", Int4, 0))];
        TaskCompletionSource taken = Waits.Signal();
        TaskCompletionSource failed = Waits.Signal();
        TaskCompletionSource asked = Waits.Signal();
        await using FakeServer server = FakeServer.Start(Script.Welcome().ExpectUntil('H').Send(description).ExpectUntil('H').Send(description)
            .ExpectUntil('S')
            .Send([.. BindComplete(), .. rows, .. CommandComplete("SELECT 3000"), .. NoticeResponse("00000", "taken")])
            .WaitFor(taken.Task)
            .Send([.. ErrorResponse("26000", "prepared statement does not exist"), .. NoticeResponse("00000", "failed")])
            .WaitFor(asked.Task)
            .Send(ReadyForQuery())
            .ExpectUntil('H')
            .Send([.. BindComplete(), .. Int4Row(1), .. CommandComplete("SELECT 1"), .. description])
            .ExpectUntil('S')
            .Send([.. BindComplete(), .. Int4Row(2), .. CommandComplete("SELECT 1"), .. ReadyForQuery()]));
        PgDataSource db = TestDatabase.Open(Fixture, server.Port, OneConnection);
        db.Notice += notice => (notice.Message == "taken" ? taken : failed).TrySetResult();
        await using var connection = (PgDbConnection)await db.AsDbDataSource().OpenConnectionAsync();
        DataRoundTrip roundTrip = connection.Rent();
        roundTrip.Add(PgStatement.Create("select 1"u8));
        roundTrip.Add(PgStatement.Create("select 2"u8));
        connection.Start(roundTrip, this, TimeSpan.Zero, default);

        // The reader comes when the run has failed, and before it is known that it is repeated.
        await failed.Task.Within(30.Seconds());
        Task<bool> asking = roundTrip.Rows.NextChunkAsync(roundTrip.Version).AsTask();
        asked.SetResult();
        var found = new List<int>();
        while (await asking.Within(30.Seconds()))
        {
            for (int position = 0; position < roundTrip.Rows.Chunk.Length; position += RowChunk.HeaderBytes + RowChunk.NumberAt(roundTrip.Rows.Chunk.Bytes, position))
            {
                if (roundTrip.Rows.Chunk.Bytes[position] == RowChunk.Row)
                {
                    found.Add(roundTrip.Rows.Chunk.Bytes[position + RowChunk.HeaderBytes + 9]);
                }
            }

            asking = roundTrip.Rows.NextChunkAsync(roundTrip.Version).AsTask();
        }

        Assert.Null(roundTrip.Error);
        roundTrip.ReaderDone();
        Assert.Equal([1, 2], found);
    }

    // The scripts have no answer to a query of the catalogue.
    private static void OneConnection(PgDataSourceOptions options)
    {
        TestDatabase.OneConnection(options);
        options.LoadTypes = false;
    }

    private static async Task<DbConnection> OpenAsync(PgFixture fixture, FakeServer server)
        => await TestDatabase.Open(fixture, server.Port, OneConnection).AsDbDataSource().OpenConnectionAsync().AsTask().Within(30.Seconds());

    private static async Task<DbDataReader> RunAsync(DbConnection connection)
    {
        await using DbCommand command = connection.Command("select id, bytes, none, text");
        return await command.ExecuteReaderAsync(CommandBehavior.SequentialAccess);
    }
}
