using System.Data;
using System.Data.Common;
using System.Text;
using Dapper;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Values that are read while they arrive: how much memory they take, and what becomes of the connection, of its row, and of what follows.</summary>
public class SequentialStreamTests() : PgTests(TestDatabase.OneReactor)
{
    private const int LongBytes = 64 * 1024 * 1024;
    // Of a value that is put together it would be all, and more. What is left are objects of waits, whose number the machine decides.
    private const int LittleBytes = LongBytes / 16;

    private const string LongSql = "select 1, convert_to(repeat('0123456789abcdef', 4 * 1024 * 1024), 'UTF8'), 'behind'";

    [Theory, AllValues]
    public async Task AStreamOf64MiBTakesLittleMemory(bool isAsync)
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await ReadLongAsync(connection, isAsync);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Assert.Equal(LongBytes, await ReadLongAsync(connection, isAsync).Within(60.Seconds()));
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, LittleBytes);
    }

    [Fact]
    public async Task TextOf64MiBTakesLittleMemory()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        char[] buffer = new char[32 * 1024];
        await ReadTextAsync();
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Assert.Equal(LongBytes, await ReadTextAsync().Within(60.Seconds()));
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, LittleBytes);

        async Task<long> ReadTextAsync()
        {
            await using DbDataReader reader = await RunAsync(connection, $"select repeat('äö', {LongBytes / 2})");
            Assert.True(await reader.ReadAsync());
            using TextReader text = reader.GetTextReader(0);
            long sum = 0;
            while (await text.ReadAsync(buffer.AsMemory()) is var count and > 0)
            {
                sum += count;
            }

            return sum;
        }
    }

    [Fact]
    public async Task BytesAndCharactersByPartsTakeLittleMemory()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        Read();
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Assert.Equal(2 * LongBytes, Read());
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, LittleBytes);

        long Read()
        {
            using DbCommand command = connection.Command($"select convert_to(repeat('x', {LongBytes}), 'UTF8'), repeat('x', {LongBytes})");
            using DbDataReader reader = command.ExecuteReader(CommandBehavior.SequentialAccess);
            Assert.True(reader.Read());
            byte[] bytes = new byte[64 * 1024];
            char[] chars = new char[64 * 1024];
            long sum = 0;
            while (reader.GetBytes(0, sum, bytes, 0, bytes.Length) is var count and > 0)
            {
                sum += count;
            }

            long length = sum;
            while (reader.GetChars(1, sum - length, chars, 0, chars.Length) is var count and > 0)
            {
                sum += count;
            }

            return sum;
        }
    }

    [Fact]
    public async Task TheServerWaitsForAReaderThatDoesNotRead()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await ReadLongAsync(connection, isAsync: true);
        PostgresServer server = await PostgresServer.SharedAsync();
        int processId = ((PgDbConnection)connection).Session.ProcessId;
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await using (DbDataReader reader = await RunAsync(connection, LongSql))
        {
            Assert.True(await reader.ReadAsync());
            await using Stream stream = reader.GetStream(1);
            string waitsFor = "";
            while (waitsFor != "ClientWrite")
            {
                waitsFor = await server.RunSqlAsync($"select wait_event from pg_stat_activity where pid = {processId}", "postgres", PgUsers.Trust).Within(30.Seconds());
            }

            Assert.Equal(LongBytes, await ReadAllAsync(stream).Within(60.Seconds()));
        }

        // Beside the chunks up to 1 MiB lies in the receive pipe; the rest of it is what asks the server.
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - before, 0, LongBytes / 2);
    }

    [Theory, AllValues]
    public async Task RowsOfAllLengthsComeInOrderHoweverTheyAreRead(bool isOnReactor)
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        const int gathered = LongMessage.ThresholdBytes;
        const int pieces = LongMessage.MaxGatheredRowBytes;
        int[] lengths =
        [
            1, gathered - 30, gathered - 29, gathered, 5, 3 * gathered, 0, 2, 3 * pieces, gathered + 1, 7, 2_000_003,
            .. Enumerable.Range(0, 30).Select(i => gathered - 60 + (4 * i)), .. Enumerable.Range(0, 12).Select(i => pieces - 60 + (8 * i)), 1,
        ];
        foreach (int way in Enumerable.Range(0, 6))
        {
            Task<List<int>> reading = isOnReactor
                ? ReactorWork.OnReactorAsync(Fixture[0], () => ReadRowsAsync(connection, lengths, way))
                : ReadRowsAsync(connection, lengths, way);
            Assert.Equal(lengths, await reading.Within(60.Seconds()));
        }
    }

    [Fact]
    public async Task WhatIsLeftOfARowIsDroppedByTheNextRowTheNextResultAndTheEnd()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await using (DbDataReader reader = await RunAsync(connection, "select repeat('x', 3000000), i from generate_series(1, 3) i; select 'second', repeat('y', 400000)"))
        {
            Assert.True(await reader.ReadAsync());
            using TextReader text = reader.GetTextReader(0);
            Assert.Equal('x', text.Read());
            Assert.True(await reader.ReadAsync());
            Assert.Equal(2, reader.GetInt32(1));
            Assert.True(reader.Read());
            Assert.Equal('x', reader.GetStream(0).ReadByte());
            Assert.True(await reader.NextResultAsync());
            Assert.True(await reader.ReadAsync());
            Assert.Equal(("second", 'y'), (reader.GetString(0), reader.GetStream(1).ReadByte()));
        }

        Assert.Equal(42, await connection.ScalarAsync("select 42").Within(20.Seconds()));
    }

    [Fact]
    public async Task ARowBehindTheOneResultIsDropped()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await using DbCommand command = connection.Command("select 1; select repeat('x', 3000000) from generate_series(1, 3); select 2");
        await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SequentialAccess | CommandBehavior.SingleResult);
        Assert.True(await reader.ReadAsync());
        Assert.Equal(1, reader.GetInt32(0));
        Assert.False(await reader.NextResultAsync().Within(20.Seconds()));
    }

    [Fact]
    public Task AnErrorBehindALongRowIsToldWhereItStands() => DataPair.EachAsync<SequentialStreamTests>("select 1", async connection =>
    {
        await using DbDataReader reader = await RunAsync(connection, "select repeat('x', 3000000), 1 / (2 - i) from generate_series(1, 2) i");
        Assert.True(await reader.ReadAsync());
        using (TextReader text = reader.GetTextReader(0))
        {
            Assert.Equal(3_000_000, (await text.ReadToEndAsync()).Length);
        }

        Assert.Equal(1, reader.GetInt32(1));
        Assert.Equal("22012", (await Assert.ThrowsAnyAsync<DbException>(() => reader.ReadAsync())).SqlState);
    });

    [Fact]
    public async Task ABackendThatIsEndedInAValueFailsTheStream()
    {
        await using DataPair pair = await DataPair.OpenAsync<SequentialStreamTests>(Fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            try
            {
                await EndInAValueAsync(connection);
            }
            catch (Npgsql.PostgresException error) when (connection is Npgsql.NpgsqlConnection && error.SqlState == PgSqlState.AdminShutdown)
            {
                // Npgsql's reader may throw it once more when it is disposed, where the rest of the row had come.
            }
        }

        async Task EndInAValueAsync(DbConnection connection)
        {
            int processId = connection is PgDbConnection ours ? ours.Session.ProcessId : ((Npgsql.NpgsqlConnection)connection).ProcessID;
            await using DbDataReader reader = await RunAsync(connection, LongSql);
            Assert.True(await reader.ReadAsync());
            await using Stream stream = await reader.GetFieldValueAsync<Stream>(1);
            Assert.Equal('0', stream.ReadByte());

            // One that can still write ends behind the row.
            await Waits.Until(
                () => pair.RunAsync($"select wait_event from pg_stat_activity where pid = {processId}"),
                static what => what.Contains("ClientWrite", StringComparison.Ordinal),
                20.Seconds());
            await pair.RunAsync($"select pg_terminate_backend({processId})");
            await Assert.ThrowsAnyAsync<DbException>(() => ReadAllAsync(stream).Within(60.Seconds()));
            await Assert.ThrowsAnyAsync<Exception>(() => reader.GetFieldValueAsync<string>(2));
            Assert.NotEqual(ConnectionState.Open, connection.State);
        }
    }

    [Fact]
    public async Task AReadThatIsCancelledInAValueEndsItsCommandAndTheConnectionServesOn()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        await using (DbDataReader reader = await RunAsync(connection, LongSql))
        {
            Assert.True(await reader.ReadAsync());
            await using Stream stream = reader.GetStream(1);
            using var cancelled = new CancellationTokenSource();
            byte[] buffer = new byte[1024];
            Assert.True(await stream.ReadAsync(buffer, cancelled.Token) > 0);
            await cancelled.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ReadAllAsync(stream, cancelled.Token));

            // A token that was cancelled before costs nothing; the value goes on.
            Assert.True(await stream.ReadAsync(buffer) > 0);
            using var late = new CancellationTokenSource();
            Task<long> reading = ReadAllAsync(stream, late.Token);
            await late.CancelAsync();
            try
            {
                await reading.Within(60.Seconds());
            }
            catch (OperationCanceledException) when (late.IsCancellationRequested)
            {
                // Or the value's end came first.
            }
        }

        Assert.Equal(42, await connection.ScalarAsync("select 42").Within(20.Seconds()));
    }

    [Fact]
    public async Task AValueAboveTheLimitIsReadAsAStreamAndNotAsAWhole()
    {
        PgDataSource db = await TestDatabase.OpenAsync<SequentialStreamTests>(Fixture, static options => options.MaxMessageBytes = 64 * 1024);
        await using DbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await using DbDataReader reader = await RunAsync(connection, "select repeat('x', 200000), repeat('y', 200000), repeat('z', 60000)");
        Assert.True(await reader.ReadAsync());
        using (TextReader text = reader.GetTextReader(0))
        {
            Assert.Equal(200_000, (await text.ReadToEndAsync()).Length);
        }

        Assert.Contains("GetStream", Assert.Throws<PgResultTooLargeException>(() => reader.GetString(1)).Message, StringComparison.Ordinal);
        Assert.Equal(60_000, reader.GetString(2).Length);
    }

    [Fact]
    public async Task DapperReadsLongValuesOfRows()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        List<(int Id, string Text, byte[] Bytes)> rows =
            [.. await connection.QueryAsync<(int, string, byte[])>("select i, repeat('x', i * 100000), convert_to(repeat('y', i * 100000), 'UTF8') from generate_series(0, 5) i")];
        Assert.Equal(Enumerable.Range(0, 6).Select(static i => (i, i * 100_000, i * 100_000)), rows.Select(static row => (row.Id, row.Text.Length, row.Bytes.Length)));
    }

    [Fact]
    public async Task APositionBeyondTheValueGivesNothingAndTheRowGoesOn()
    {
        await using DbConnection connection = await OpenAsync(Fixture);
        foreach (int length in new[] { 10, 300_000 })
        {
            await using DbDataReader reader = await RunAsync(connection, $"select convert_to(repeat('x', {length}), 'UTF8'), repeat('y', {length}), 'z'");
            Assert.True(await reader.ReadAsync());
            Assert.Equal(0, reader.GetBytes(0, length + 5, new byte[3], 0, 3));
            Assert.Equal(0, reader.GetChars(1, length + 5, new char[3], 0, 3));
            Assert.Equal("z", reader.GetString(2));
        }
    }

    /// <summary>Without TLS, which has memory of its own.</summary>
    private static async Task<DbConnection> OpenAsync(PgFixture fixture)
        => await (await TestDatabase.OpenAsync<SequentialStreamTests>(fixture, TestDatabase.OneConnection)).AsDbDataSource().OpenConnectionAsync();

    private static Task<DbDataReader> RunAsync(DbConnection connection, string sql) => connection.ReaderAsync(sql, CommandBehavior.SequentialAccess);

    private static async Task<long> ReadLongAsync(DbConnection connection, bool isAsync)
    {
        await using DbDataReader reader = await RunAsync(connection, LongSql);
        Assert.True(await reader.ReadAsync());
        await using Stream stream = reader.GetStream(1);
        long sum = 0;
        byte[] buffer = new byte[64 * 1024];
        while ((isAsync ? await stream.ReadAsync(buffer) : stream.Read(buffer)) is var count and > 0)
        {
            sum += count;
        }

        Assert.Equal("behind", reader.GetString(2));
        return sum;
    }

    private static async Task<long> ReadAllAsync(Stream stream, CancellationToken cancellationToken = default)
    {
        byte[] buffer = new byte[64 * 1024];
        long sum = 0;
        while (await stream.ReadAsync(buffer, cancellationToken) is var count and > 0)
        {
            sum += count;
        }

        return sum;
    }

    private static async Task<List<int>> ReadRowsAsync(DbConnection connection, int[] lengths, int way)
    {
        await using DbCommand command = connection.CreateCommand();
        command.CommandText = "select n::int4, convert_to(repeat(chr(97 + n % 26), n), 'UTF8'), null::text, repeat('ä', n) from unnest($1::int4[]) with ordinality as u(n, i) order by i";
        DbParameter parameter = command.CreateParameter();
        parameter.Value = lengths;
        command.Parameters.Add(parameter);
        await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SequentialAccess);
        var read = new List<int>();
        while (way % 2 == 0 ? await reader.ReadAsync() : reader.Read())
        {
            int length = reader.GetInt32(0);
            read.Add(length);
            byte[] bytes;
            string text;
            switch (way)
            {
                case 0:
                    bytes = await reader.GetFieldValueAsync<byte[]>(1);
                    Assert.True(await reader.IsDBNullAsync(2));
                    text = await reader.GetFieldValueAsync<string>(3);
                    break;
                case 1:
                    bytes = (byte[])reader.GetValue(1);
                    Assert.True(reader.IsDBNull(2));
                    text = reader.GetString(3);
                    break;
                case 2:
                    using (var copy = new MemoryStream())
                    {
                        await (await reader.GetFieldValueAsync<Stream>(1)).CopyToAsync(copy);
                        bytes = copy.ToArray();
                    }

                    text = await (await reader.GetFieldValueAsync<TextReader>(3)).ReadToEndAsync();
                    break;
                case 3:
                    using (var copy = new MemoryStream())
                    {
                        reader.GetStream(1).CopyTo(copy, 1000);
                        bytes = copy.ToArray();
                    }

                    text = reader.GetTextReader(3).ReadToEnd();
                    break;
                case 4:
                    bytes = Encoding.UTF8.GetBytes(new string((char)(97 + (length % 26)), length));
                    text = await reader.GetFieldValueAsync<string>(3);
                    break;
                default:
                    continue;
            }

            Assert.Equal(length, bytes.Length);
            Assert.False(bytes.AsSpan().ContainsAnyExcept((byte)(97 + (length % 26))));
            Assert.Equal(length, text.Length);
            Assert.False(text.AsSpan().ContainsAnyExcept('ä'));
        }

        return read;
    }
}
