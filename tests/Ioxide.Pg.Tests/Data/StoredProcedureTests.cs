using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>Commands of the kind <see cref="CommandType.StoredProcedure"/>, on the facade and on Npgsql.</summary>
public class StoredProcedureTests
{
    private const string Script = """
        create table if not exists written (a int, b text);
        truncate written;
        create or replace procedure double_it(inout x int, y text default '!') language plpgsql as $$ begin x := x * 2; perform y; end $$;
        create or replace procedure write_it(a int, b text) language sql as $$ insert into written values (a, b) $$;
        create or replace procedure fail_it() language plpgsql as $$ begin raise exception 'no' using errcode = 'AB123'; end $$;
        """;

    [Theory]
    [InlineData("double_it", "x", 21, null, null, "21 x 2 = 42")]
    [InlineData("double_it", null, 21, null, "yes", "21 x 2 = 42")]
    [InlineData("double_it", "x", 4, "y", "yes", "4 x 2 = 8")]
    public async Task AnInOutParameterComesBackAsARow(string name, string? firstName, int first, string? secondName, string? second, string expected)
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<StoredProcedureTests>(fixture, Script);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = Procedure(connection, name, (firstName, first), (secondName, second));
            Assert.Equal(expected, $"{first} x 2 = {await command.ExecuteScalarAsync()}");
        }
    }

    [Fact]
    public async Task NamedArgumentsMayComeInAnyOrder()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<StoredProcedureTests>(fixture, Script);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = Procedure(connection, "write_it", ("b", "text"), ("a", 5));
            Assert.Equal(-1, await command.ExecuteNonQueryAsync());
        }

        Assert.Equal("5|text\n5|text", await pair.RunAsync("select * from written"));
    }

    [Fact]
    public async Task AnErrorInsideIsTheCommands()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<StoredProcedureTests>(fixture, Script);
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand failing = Procedure(connection, "fail_it");
            Assert.Equal("AB123", (await Assert.ThrowsAnyAsync<DbException>(() => failing.ExecuteNonQueryAsync())).SqlState);
            await using DbCommand missing = Procedure(connection, "not_there", ("a", 1));
            Assert.Equal("42883", (await Assert.ThrowsAnyAsync<DbException>(() => missing.ExecuteNonQueryAsync())).SqlState);
            await using DbCommand next = Procedure(connection, "write_it", (null, 1), (null, "after"));
            await next.ExecuteNonQueryAsync();
        }
    }

    [Fact]
    public async Task AnOutputParameterIsRefusedWithAHint()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<StoredProcedureTests>(fixture, Script);
        await using DbCommand command = Procedure(pair.Ours, "double_it", ("x", 1));
        command.Parameters[0].Direction = ParameterDirection.Output;
        NotSupportedException error = await Assert.ThrowsAsync<NotSupportedException>(() => command.ExecuteNonQueryAsync());
        Assert.Contains("as a row", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ATableIsReadByItsName()
    {
        await using PgFixture fixture = new();
        await using DataPair pair = await DataPair.OpenAsync<StoredProcedureTests>(fixture, Script + "insert into written values (1, 'one');");
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            command.CommandType = CommandType.TableDirect;
            command.CommandText = "written";
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            Assert.Equal((1, "one"), (reader.GetInt32(0), reader.GetString(1)));
            Assert.False(await reader.ReadAsync());
        }
    }

    private static DbCommand Procedure(DbConnection connection, string name, params (string? Name, object? Value)[] arguments)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandType = CommandType.StoredProcedure;
        command.CommandText = name;
        foreach ((string? argument, object? value) in arguments)
        {
            if (value is not null)
            {
                DbParameter parameter = command.CreateParameter();
                parameter.ParameterName = argument;
                parameter.Value = value;
                command.Parameters.Add(parameter);
            }
        }

        return command;
    }
}
