using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>What a command, a reader and a parameter list refuse, and what they do with nothing: as ADO.NET and Npgsql have it.</summary>
public class CommandStateTests : PairTests
{
    private static readonly byte[] s_bytes = [1, 2, 3];

    [Fact]
    public Task PrepareWantsAnOpenConnectionAndAText() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.CreateCommand();
        Assert.Throws<InvalidOperationException>(command.Prepare);
        await Assert.ThrowsAsync<InvalidOperationException>(() => command.PrepareAsync());
        command.CommandText = "select 1";
        command.Prepare();
        await command.PrepareAsync();
        Assert.Equal(1, await command.ExecuteScalarAsync());
        command.Connection = null;
        Assert.Throws<InvalidOperationException>(command.Prepare);
        await connection.CloseAsync();
        command.Connection = connection;
        Assert.Throws<InvalidOperationException>(command.Prepare);
    });

    /// <summary>Who starts several and awaits them together must not lose those that began before the one that is refused.</summary>
    [Fact]
    public Task WhatIsRefusedIsAFailedTask() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select @value");
        command.Add("value", new object());
        await using DbBatch batch = connection.CreateBatch();
        DbBatchCommand batched = batch.CreateBatchCommand();
        batched.CommandText = "select @value";
        batched.Parameters.Add(((ICloneable)command.Parameters[0]).Clone());
        batch.BatchCommands.Add(batched);
        foreach (bool isOpen in (bool[])[true, false])
        {
            Task[] refused =
            [
                command.ExecuteNonQueryAsync(), command.ExecuteScalarAsync(), command.ExecuteReaderAsync(), batch.ExecuteNonQueryAsync(), batch.ExecuteReaderAsync(),
            ];
            for (int i = 0; i < refused.Length; i++)
            {
                Exception? error = await Record.ExceptionAsync(() => refused[i]);
                Assert.True(error is InvalidCastException or InvalidOperationException, $"{connection.GetType()}, open {isOpen}, {i}: {error}");
            }

            await connection.CloseAsync();
        }
    });

    [Fact]
    public Task ACommandWhoseReaderIsOpenKeepsItsTextAndItsConnection() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.CreateCommand();
        await using DbCommand other = connection.CreateCommand();
        command.CommandText = "select 1";
        await using (await command.ExecuteReaderAsync())
        {
            Assert.Throws<InvalidOperationException>(() => command.CommandText = "select 2");
            Assert.Throws<InvalidOperationException>(() => command.Connection = null);

            // The control: what changes nothing, and another command's.
            command.Connection = connection;
            other.CommandText = "select 3";
        }

        command.CommandText = "select 2";
        Assert.Equal(2, await command.ExecuteScalarAsync());
    });

    [Theory]
    [InlineData(CommandBehavior.SingleResult, 2)]
    [InlineData(CommandBehavior.SingleRow, 1)]
    [InlineData(CommandBehavior.SingleRow | CommandBehavior.SingleResult, 1)]
    public async Task OneResultIsShownAndTheOtherStatementsRun(CommandBehavior behavior, int rows)
    {
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(Fixture, "create table if not exists ran (x int); truncate ran;");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.Command("select i from generate_series(1, 2) i; select 7, 8; insert into ran values (1)");
            await using (DbDataReader reader = await command.ExecuteReaderAsync(behavior))
            {
                int count = 0;
                while (await reader.ReadAsync())
                {
                    Assert.Equal(++count, reader.GetInt32(0));
                }

                Assert.Equal(rows, count);
                Assert.False(await reader.NextResultAsync());
                Assert.Equal((false, 0), (reader.HasRows, reader.FieldCount));
                Assert.False(reader.NextResult());
            }
        }

        Assert.Equal("2", await pair.RunAsync("select count(*) from ran"));
    }

    [Fact]
    public Task AnErrorBehindTheOneResultIsNotLost() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select 1; select 1/0");
        await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SingleResult);
        Assert.Equal("22012", (await Assert.ThrowsAnyAsync<DbException>(() => reader.NextResultAsync())).SqlState);
    });

    [Fact]
    public Task ALoopOverAReaderLeavesItOpen() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select 1 union select 2; select 3");
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.Equal(2, reader.Cast<IDataRecord>().Count());
        Assert.False(reader.IsClosed);
        Assert.True(await reader.NextResultAsync());
        Assert.Equal(3, reader.Cast<IDataRecord>().Single().GetInt32(0));
    });

    [Fact]
    public Task ACommandThatCannotStartClosesWhatItWasToClose() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.CreateCommand();
        Assert.Throws<InvalidOperationException>(() => command.ExecuteReader());
        Assert.Equal(ConnectionState.Open, connection.State);
        Assert.Throws<InvalidOperationException>(() => command.ExecuteReader(CommandBehavior.CloseConnection));
        Assert.Equal(ConnectionState.Closed, connection.State);
    });

    [Fact]
    public async Task AParameterIsFoundWithAndWithoutTheSignOfItsName()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = connection.Command("select @p");
            command.Add("p", 1);
            Assert.All(
                (string[])["p", "@p", ":p", "P"],
                name => Assert.Equal((0, true), (command.Parameters.IndexOf(name), command.Parameters.Contains(name))));
            Assert.Equal(-1, command.Parameters.IndexOf("?p"));
        }
    }

    [Fact]
    public Task AClosedReaderAndOneWithoutAResultSaySo() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("set work_mem = '5MB'");
        DbDataReader reader = await command.ExecuteReaderAsync();
        Func<object?>[] columns = [() => reader.GetName(0), () => reader.GetFieldType(0), () => reader.GetDataTypeName(0)];
        Func<object?>[] values = [() => reader.GetValue(0), () => reader.IsDBNull(0), () => reader.GetValues(new object[1]), () => reader.GetString(0)];
        Assert.All([.. columns, .. values], call => Assert.Throws<InvalidOperationException>(call));
        Assert.Throws<InvalidOperationException>(() => reader.GetBytes(0, 0, null, 0, 0));
        await reader.DisposeAsync();
        Assert.All([.. columns, .. values, () => reader.Read(), () => reader.FieldCount], call => Assert.ThrowsAny<InvalidOperationException>(call));
    });

    [Fact]
    public async Task AStreamAndAReaderAreSentToTheirEnds()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            foreach (bool isAsync in new[] { false, true })
            {
                await using DbCommand command = connection.Command("select @bytes");
                using var stream = new MemoryStream(s_bytes);
                command.Add("bytes", stream);
                Assert.Equal(s_bytes, isAsync ? await command.ExecuteScalarAsync() : command.ExecuteScalar());
            }
        }

        // Npgsql takes no reader without a type.
        await using DbCommand own = Pair.Ours.Command("select @text");
        using var reader = new StringReader("äöü");
        own.Add("text", reader);
        Assert.Equal("äöü", await own.ExecuteScalarAsync());
    }

    [Fact]
    public async Task AnAsynchronousCommandReadsAStreamWithoutBlocking()
    {
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(Fixture, "create table if not exists held (x bytea); truncate held;");
        await using DbCommand command = pair.Ours.Command("insert into held values (@bytes)");
        command.Add("bytes", new AsynchronousStream(s_bytes));
        Assert.Equal(1, await command.ExecuteNonQueryAsync());
        command.CommandText = "insert into held values (@bytes) returning x";
        command.Parameters[0].Value = new AsynchronousStream(s_bytes);
        Assert.Equal(s_bytes, await command.ExecuteScalarAsync());
        await using DbBatch batch = pair.Ours.CreateBatch();
        DbBatchCommand item = batch.CreateBatchCommand();
        item.CommandText = "insert into held values ($1)";
        DbParameter parameter = item.CreateParameter();
        parameter.Value = new AsynchronousStream(s_bytes);
        item.Parameters.Add(parameter);
        batch.BatchCommands.Add(item);
        Assert.Equal(1, await batch.ExecuteNonQueryAsync());
        Assert.Equal("\\x010203\n\\x010203\n\\x010203", await pair.RunAsync("select x from held"));
    }

    [Fact]
    public async Task AValueThatReplacesAStreamIsTheOneThatIsSent()
    {
        await using DbCommand command = Pair.Ours.Command("select @p");
        command.Add("p", new AsynchronousStream(s_bytes));
        command.Connection = null;
        await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteScalarAsync());
        command.Connection = Pair.Ours;
        command.Parameters[0].Value = 5;
        Assert.Equal(5, await command.ExecuteScalarAsync());
    }

    [Fact]
    public Task AParameterWithoutAValueIsRefusedAndNullIsNull() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command("select @p::int");
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = "@p";
        command.Parameters.Add(parameter);
        Assert.Throws<InvalidOperationException>(() => command.ExecuteScalar());
        parameter.Value = DBNull.Value;
        Assert.Equal(DBNull.Value, command.ExecuteScalar());
    });

    [Fact]
    public async Task TheListOfParametersRefusesNullAndFindsNothingUnderIt()
    {
        await using DbCommand command = Pair.Ours.CreateCommand();
        DbParameterCollection list = command.Parameters;
        command.Add("p", 1);
        Assert.Throws<ArgumentNullException>(() => list.Add(null!)); // What is tested.
        Assert.Throws<ArgumentNullException>(() => list.Insert(0, null!)); // What is tested.
        Assert.Throws<ArgumentNullException>(() => list.Remove(null!)); // What is tested.
        Assert.Throws<ArgumentNullException>(() => list[0] = null!); // What is tested.
        Assert.Throws<ArgumentNullException>(() => list["p"] = null!); // What is tested.
        Assert.Equal(-1, list.IndexOf((string)null!)); // What is tested.
        Assert.Equal(-1, list.IndexOf((object)null!)); // What is tested.
        Assert.False(list.Contains((string)null!)); // What is tested.
        Assert.False(list.Contains((object)null!)); // What is tested.
        Assert.Single(list);
    }

    public static TheoryData<object?> Values() => new((object?[])
    [
        null, DBNull.Value, true, (byte)1, (short)1, 1, 1L, 1.5f, 1.5, 1.5m, "text", 'c', s_bytes, Guid.Empty, new DateOnly(2024, 2, 29), new TimeOnly(1, 2),
        new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc), new DateTime(2024, 2, 29), TimeSpan.FromHours(1), new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero),
    ]);

    [Theory, MemberData(nameof(Values))]
    public async Task AParameterTellsTheTypeOfItsValue(object? value)
    {
        // Npgsql knows the types once a data source was made.
        var theirs = new Npgsql.NpgsqlParameter { Value = value };
        var ours = new Pg.Data.PgDbParameter { Value = value };
        Assert.Equal(theirs.DbType, ours.DbType);
        theirs.DbType = ours.DbType = DbType.Int64;
        Assert.Equal(theirs.DbType, ours.DbType);
        theirs.ResetDbType();
        ours.ResetDbType();
        Assert.Equal(theirs.DbType, ours.DbType);
    }

    [Fact]
    public Task ATransactionThatWasDisposedSaysSo() => DataPair.EachAsync<CommandStateTests>("select 1", async connection =>
    {
        DbTransaction transaction = await connection.BeginTransactionAsync();
        await transaction.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => transaction.CommitAsync());
        Assert.Throws<ObjectDisposedException>(transaction.Rollback);
        DbTransaction second = await connection.BeginTransactionAsync();
        await second.CommitAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => second.CommitAsync());
        await second.DisposeAsync();
    });

    private sealed class AsynchronousStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("Read it asynchronously.");

        public override int Read(Span<byte> buffer) => throw new NotSupportedException("Read it asynchronously.");

        public override void CopyTo(Stream destination, int bufferSize) => throw new NotSupportedException("Read it asynchronously.");

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Yield();
            int count = (int)Math.Min(buffer.Length, Length - Position);
            ToArray().AsMemory((int)Position, count).CopyTo(buffer);
            Position += count;
            return count;
        }

        public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
        {
            await Task.Yield();
            await destination.WriteAsync(ToArray(), cancellationToken);
        }
    }
}
