using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>What a command, a reader and a parameter list refuse, and what they do with nothing: as ADO.NET and Npgsql have it.</summary>
public class CommandStateTests
{
    private static readonly byte[] s_bytes = [1, 2, 3];

    [Fact]
    public async Task PrepareWantsAnOpenConnectionAndAText()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
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
        }
    }

    [Fact]
    public async Task ACommandWhoseReaderIsOpenKeepsItsTextAndItsConnection()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
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
        }
    }

    [Theory]
    [InlineData(CommandBehavior.SingleResult, 2)]
    [InlineData(CommandBehavior.SingleRow, 1)]
    [InlineData(CommandBehavior.SingleRow | CommandBehavior.SingleResult, 1)]
    public async Task OneResultIsShownAndTheOtherStatementsRun(CommandBehavior behavior, int rows)
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "create table if not exists ran (x int); truncate ran;");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "select i from generate_series(1, 2) i; select 7, 8; insert into ran values (1)";
            await using (DbDataReader reader = await command.ExecuteReaderAsync(behavior))
            {
                int count = 0;
                while (await reader.ReadAsync())
                {
                    Assert.Equal(++count, reader.GetInt32(0));
                }

                Assert.Equal(rows, count);
                Assert.False(await reader.NextResultAsync());
                Assert.False(reader.HasRows);
                Assert.Equal(0, reader.FieldCount);
                Assert.False(reader.NextResult());
            }
        }

        Assert.Equal("2", await pair.RunAsync("select count(*) from ran"));
    }

    [Fact]
    public async Task AnErrorBehindTheOneResultIsNotLost()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "select 1; select 1/0";
            await using DbDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SingleResult);
            Assert.Equal("22012", (await Assert.ThrowsAnyAsync<DbException>(() => reader.NextResultAsync())).SqlState);
        }
    }

    [Fact]
    public async Task AClosedReaderAndOneWithoutAResultSaySo()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "set work_mem = '5MB'";
            DbDataReader reader = await command.ExecuteReaderAsync();
            Func<object?>[] columns = [() => reader.GetName(0), () => reader.GetFieldType(0), () => reader.GetDataTypeName(0)];
            Func<object?>[] values = [() => reader.GetValue(0), () => reader.IsDBNull(0), () => reader.GetValues(new object[1]), () => reader.GetString(0)];
            Assert.All([.. columns, .. values], call => Assert.Throws<InvalidOperationException>(call));
            Assert.Throws<InvalidOperationException>(() => reader.GetBytes(0, 0, null, 0, 0));
            await reader.DisposeAsync();
            Assert.All([.. columns, .. values, () => reader.Read(), () => reader.FieldCount], call => Assert.ThrowsAny<InvalidOperationException>(call));
        }
    }

    [Fact]
    public async Task BytesAndCharactersAreCopiedWithinBothEnds()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = @"select '\x010203'::bytea, 'abc'";
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            byte[] bytes = new byte[5];
            char[] text = new char[5];
            Assert.Equal(3, reader.GetBytes(0, 0, null, 0, 0));
            Assert.Equal(2, reader.GetBytes(0, 1, bytes, 3, 2));
            Assert.Equal([0, 0, 0, 2, 3], bytes);
            Assert.Equal(0, reader.GetBytes(0, 0, bytes, 5, 0));
            Assert.Equal(3, reader.GetChars(1, 0, null, 0, 0));
            Assert.Equal(1, reader.GetChars(1, 2, text, 1, 4));
            Assert.Equal('c', text[1]);
            Action[] beyond =
            [
                () => reader.GetBytes(0, -1, bytes, 0, 1), () => reader.GetBytes(0, 0, bytes, -1, 1), () => reader.GetBytes(0, 0, bytes, 6, 0),
                () => reader.GetBytes(0, 0, bytes, 3, 3), () => reader.GetBytes(0, 0, bytes, 0, -1), () => reader.GetChars(1, 0, text, 4, 2),
            ];
            Assert.All(beyond, call => Assert.True(Record.Exception(call) is ArgumentOutOfRangeException or IndexOutOfRangeException));
        }
    }

    [Fact]
    public async Task AStreamAndAReaderAreSentToTheirEnds()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            foreach (bool isAsync in new[] { false, true })
            {
                await using DbCommand command = connection.CreateCommand();
                command.CommandText = "select @bytes";
                using var stream = new MemoryStream(s_bytes);
                Add(command, "bytes", stream);
                Assert.Equal(s_bytes, isAsync ? await command.ExecuteScalarAsync() : command.ExecuteScalar());
            }
        }

        // Npgsql takes no reader without a type.
        await using DbCommand own = pair.Ours.CreateCommand();
        own.CommandText = "select @text";
        using var reader = new StringReader("äöü");
        Add(own, "text", reader);
        Assert.Equal("äöü", await own.ExecuteScalarAsync());
    }

    [Fact]
    public async Task AnAsynchronousCommandReadsAStreamWithoutBlocking()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "create table if not exists held (x bytea); truncate held;");
        await using DbCommand command = pair.Ours.CreateCommand();
        command.CommandText = "insert into held values (@bytes)";
        Add(command, "bytes", new AsynchronousStream(s_bytes));
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
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        await using DbCommand command = pair.Ours.CreateCommand();
        command.CommandText = "select @p";
        Add(command, "p", new AsynchronousStream(s_bytes));
        command.Connection = null;
        await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteScalarAsync());
        command.Connection = pair.Ours;
        command.Parameters[0].Value = 5;
        Assert.Equal(5, await command.ExecuteScalarAsync());
    }

    [Fact]
    public async Task AParameterWithoutAValueIsRefusedAndNullIsNull()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandText = "select @p::int";
            DbParameter parameter = command.CreateParameter();
            parameter.ParameterName = "@p";
            command.Parameters.Add(parameter);
            Assert.Throws<InvalidOperationException>(() => command.ExecuteScalar());
            parameter.Value = DBNull.Value;
            Assert.Equal(DBNull.Value, command.ExecuteScalar());
        }
    }

    [Fact]
    public async Task TheListOfParametersRefusesNullAndFindsNothingUnderIt()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        await using DbCommand command = pair.Ours.CreateCommand();
        DbParameterCollection list = command.Parameters;
        Add(command, "p", 1);
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

    [Theory]
    [MemberData(nameof(Values))]
    public async Task AParameterTellsTheTypeOfItsValue(object? value)
    {
        // Npgsql knows the types once a data source was made.
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
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
    public async Task ATransactionThatWasDisposedSaysSo()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<CommandStateTests>(fixture, "select 1");
        foreach (DbConnection connection in pair.Both)
        {
            DbTransaction transaction = await connection.BeginTransactionAsync();
            await transaction.DisposeAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => transaction.CommitAsync());
            Assert.Throws<ObjectDisposedException>(transaction.Rollback);
            DbTransaction second = await connection.BeginTransactionAsync();
            await second.CommitAsync();
            await Assert.ThrowsAsync<InvalidOperationException>(() => second.CommitAsync());
            await second.DisposeAsync();
        }
    }

    private static void Add(DbCommand command, string name, object value)
    {
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }

    /// <summary>Has its bytes only for those who await them.</summary>
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
