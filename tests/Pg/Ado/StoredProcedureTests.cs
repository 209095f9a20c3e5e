using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>Commands of the kind <see cref="CommandType.StoredProcedure"/>, on the facade and on Npgsql.</summary>
public class StoredProcedureTests() : PairTests(Script)
{
    private const string Script = """
        create table if not exists written (a int, b text);
        truncate written;
        create or replace procedure double_it(inout x int, y text default '!') language plpgsql as $$ begin x := x * 2; perform y; end $$;
        create or replace procedure split_it(a int, out tens int, out ones int) language plpgsql as $$ begin tens := a / 10; ones := a % 10; end $$;
        create or replace procedure write_it(a int, b text) language sql as $$ insert into written values (a, b) $$;
        create or replace procedure quoted_it("OrderId" int, "user" text, inout "a""b" int) language sql as $$ select "OrderId" + length("user") + "a""b" $$;
        create or replace procedure fail_it() language plpgsql as $$ begin raise exception 'no' using errcode = 'AB123'; end $$;
        """;

    [Theory]
    [InlineData("double_it", "x", 21, null, null, "21 x 2 = 42")]
    [InlineData("double_it", null, 21, null, "yes", "21 x 2 = 42")]
    [InlineData("double_it", "x", 4, "y", "yes", "4 x 2 = 8")]
    public Task AnInOutParameterComesBackAsARow(string name, string? firstName, int first, string? secondName, string? second, string expected)
        => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand command = Procedure(connection, name, (firstName, first), (secondName, second));
        Assert.Equal(expected, $"{first} x 2 = {await command.ExecuteScalarAsync()}");
    });

    [Fact]
    public async Task NamedArgumentsMayComeInAnyOrder()
    {
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = Procedure(connection, "write_it", ("b", "text"), ("a", 5));
            Assert.Equal(-1, await command.ExecuteNonQueryAsync());
        }

        Assert.Equal("5|text\n5|text", await Pair.RunAsync("select * from written"));
    }

    [Fact]
    public Task AnArgumentIsNamedAsItWasDeclared() => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand command = Procedure(connection, "quoted_it", ("user", "four"), ("OrderId", 3), ("a\"b", 5));
        Assert.Equal(12, await command.ExecuteScalarAsync());
        await using DbCommand folded = Procedure(connection, "write_it", ("A", 1), ("b", "text"));
        Assert.Equal("42883", (await Assert.ThrowsAnyAsync<DbException>(() => folded.ExecuteNonQueryAsync())).SqlState);
    });

    [Fact]
    public Task AnErrorInsideIsTheCommands() => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand failing = Procedure(connection, "fail_it");
        Assert.Equal("AB123", (await Assert.ThrowsAnyAsync<DbException>(() => failing.ExecuteNonQueryAsync())).SqlState);
        await using DbCommand missing = Procedure(connection, "not_there", ("a", 1));
        Assert.Equal("42883", (await Assert.ThrowsAnyAsync<DbException>(() => missing.ExecuteNonQueryAsync())).SqlState);
        await using DbCommand next = Procedure(connection, "write_it", (null, 1), (null, "after"));
        await next.ExecuteNonQueryAsync();
    });

    [Theory, AllValues]
    public Task AnOutputParameterOfAProcedureIsFilled(bool isAsync) => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand command = Procedure(connection, "double_it", ("x", 21));
        command.Parameters[0].Direction = ParameterDirection.InputOutput;
        Assert.Equal(-1, isAsync ? await command.ExecuteNonQueryAsync() : command.ExecuteNonQuery());
        Assert.Equal(42, command.Parameters[0].Value);

        await using DbCommand both = Procedure(connection, "split_it", ("a", 17), ("tens", DBNull.Value), ("ones", DBNull.Value));
        both.Parameters[1].Direction = both.Parameters[2].Direction = ParameterDirection.Output;
        both.Parameters[1].DbType = both.Parameters[2].DbType = DbType.Int32;
        _ = isAsync ? await both.ExecuteNonQueryAsync() : both.ExecuteNonQuery();
        Assert.Equal((1, 7), (both.Parameters[1].Value, both.Parameters[2].Value));
    });

    [Fact]
    public Task OutputParametersTakeTheFirstRowByNameThenByPosition() => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand command = connection.Command("select i as first, i * 10 as named, null::text as third from generate_series(@start::int, 3) i");
        command.Add("start", 1);
        command.Add("one", null).Direction = ParameterDirection.Output;
        command.Add("NAMED", 5).Direction = ParameterDirection.Output;
        command.Add("two", null).Direction = ParameterDirection.Output;
        command.Add("three", "stays").Direction = ParameterDirection.Output;
        await using (DbDataReader reader = await command.ExecuteReaderAsync())
        {
            Assert.Equal([1, 1, 10, DBNull.Value, "stays"], command.Parameters.Cast<DbParameter>().Select(static parameter => parameter.Value));
            Assert.Equal([1, 2, 3], await AllAsync(reader));
        }

        command.Parameters[0].Value = 2;
        Assert.Equal(2, await command.ExecuteScalarAsync());
        Assert.Equal((2, 20), (command.Parameters[1].Value, command.Parameters[2].Value));

        // Without a row nothing is filled.
        command.Parameters[0].Value = 4;
        Assert.Null(await command.ExecuteScalarAsync());
        Assert.Equal(20, command.Parameters[2].Value);
    });

    [Fact]
    public Task TwoOutputParametersOfOneNameTakeAColumnEach() => DataPair.EachAsync<StoredProcedureTests>(Script, async connection =>
    {
        await using DbCommand command = connection.Command("select 1 as first, 2 as second");
        command.Add("first", null).Direction = ParameterDirection.Output;
        command.Add("FIRST", null).Direction = ParameterDirection.Output;
        _ = await command.ExecuteScalarAsync();
        Assert.Equal((1, 2), (command.Parameters[0].Value, command.Parameters[1].Value));
    });

    [Theory, Each(CommandBehavior.SingleRow, CommandBehavior.SingleResult, CommandBehavior.SequentialAccess)]
    public async Task TheRowThatFillsOutputParametersIsReadAsWell(CommandBehavior behavior)
    {
        var answers = new List<string>();
        foreach (DbConnection connection in Pair.Both)
        {
            await using DbCommand command = connection.Command("select i as one, repeat('x', 100000) as long from generate_series(1, 2) i");
            command.Add("one", null).Direction = ParameterDirection.Output;
            await using DbDataReader reader = await command.ExecuteReaderAsync(behavior);
            Assert.Equal(1, command.Parameters[0].Value);
            string rows = "";
            while (await reader.ReadAsync())
            {
                rows += $"{reader.GetInt32(0)} {reader.GetString(1).Length}, ";
            }

            answers.Add(rows);
        }

        Assert.Equal(answers[0], answers[1]);
        Assert.StartsWith("1 100000, ", answers[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task ATextCannotReferToAnOutputParameter()
    {
        await using DbCommand command = Pair.Ours.Command("select @x::int");
        command.Add("x", 1).Direction = ParameterDirection.Output;
        Assert.Contains("output only", (await Assert.ThrowsAsync<InvalidOperationException>(() => command.ExecuteScalarAsync())).Message, StringComparison.Ordinal);
    }

    [Fact]
    public Task ATableIsReadByItsName()
        => DataPair.EachAsync<StoredProcedureTests>(Script + "insert into written values (1, 'one');", async connection =>
    {
        await using DbCommand command = connection.CreateCommand();
        command.CommandType = CommandType.TableDirect;
        command.CommandText = "written";
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.True(await reader.ReadAsync());
        Assert.Equal((1, "one"), (reader.GetInt32(0), reader.GetString(1)));
        Assert.False(await reader.ReadAsync());
    });

    private static DbCommand Procedure(DbConnection connection, string name, params (string? Name, object? Value)[] arguments)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandType = CommandType.StoredProcedure;
        command.CommandText = name;
        foreach ((string? argument, object? value) in arguments)
        {
            if (value is not null)
            {
                command.Add(argument, value);
            }
        }

        return command;
    }

    private static async Task<List<int>> AllAsync(DbDataReader reader)
    {
        List<int> values = [];
        while (await reader.ReadAsync())
        {
            values.Add(reader.GetInt32(0));
        }

        return values;
    }
}
