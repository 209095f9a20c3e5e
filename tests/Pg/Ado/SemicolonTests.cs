using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Semicolons in the text of a command and of a batch command: run, or refused, as on Npgsql.</summary>
public class SemicolonTests : PgTests
{
    [Theory]
    [InlineData("select 1;", "1")]
    [InlineData("select 1;;", "1")]
    [InlineData(";select 1", "1")]
    [InlineData("select ';'", ";")]
    [InlineData("select 1; -- ; select 2", "1")]
    [InlineData("select 1 /* ; select 2 */", "1")]
    [InlineData("select @p;", "7")]
    [InlineData("select $1; -- ;", "7")]
    [InlineData(";", "")]
    [InlineData("  ", "")]
    [InlineData("-- select 1", "")]
    [InlineData("", "InvalidOperationException")]
    [InlineData("select 1;select 2", "42601")]
    [InlineData("begin;select 1", "42601")]
    [InlineData("select $1;select 2", "42601")]
    [InlineData("insert into items values (1);insert into items values (2)", "42601")]
    [InlineData("select @p;select @p", "NotSupportedException")]
    [InlineData("select @p;select 2", "NotSupportedException")]
    [InlineData("create function two() returns int language sql begin atomic; select 1; select 2; end", "")]
    [InlineData("create function three() returns int language sql as $$ select 1; select 3 $$", "")]
    public async Task ABatchCommandIsOneStatement(string text, string expected)
    {
        await using DataPair pair = await DataPair.OpenAsync<SemicolonTests>(
            Fixture, "drop table if exists items; create table items (id int); drop function if exists two; drop function if exists three");
        foreach (DbConnection connection in pair.Both)
        {
            await pair.RunAsync("drop function if exists two; drop function if exists three");
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            await using DbBatch batch = connection.Batch("select 'before'", text, "select 'after'");
            AddParameter(text, batch.BatchCommands[1].Parameters, connection);
            bool isRun = expected is not ("42601" or "NotSupportedException" or "InvalidOperationException");
            Assert.Equal(isRun ? $"before,{expected},after".Replace(",,", ",", StringComparison.Ordinal) : expected, await AnswerAsync(async () =>
            {
                await using DbDataReader reader = await batch.ExecuteReaderAsync();
                return await ReadAsync(reader);
            }));
            await transaction.RollbackAsync();

            // The control: the connection continues, and nothing was written.
            await using DbBatch control = connection.Batch("select count(*) from items");
            Assert.Equal(0L, await control.ExecuteScalarAsync());
            Assert.Equal(isRun ? "none" : expected, await AnswerAsync(async () =>
            {
                await batch.PrepareAsync();
                return "none";
            }));
        }
    }

    [Theory]
    [InlineData("select 1;select 2", "1,2")]
    [InlineData(";;select 1;;select 2;;", "1,2")]
    [InlineData("select @p;select @p + 1", "7,8")]
    [InlineData("select ';' ; -- ;\n select 2", ";,2")]
    public Task ACommandHasAnyNumberOfStatements(string text, string expected)
        => DataPair.EachAsync<SemicolonTests>("select 1", async connection =>
    {
        await using DbCommand command = connection.Command(text);
        AddParameter(text, command.Parameters, connection);
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        Assert.Equal(expected, await ReadAsync(reader));
    });

    [Fact]
    public async Task PositionalParametersDoNotForbidSeveralStatements()
    {
        // Npgsql sends a text with $1 as it is, and the server takes one statement only. The facade numbers them anew for each statement.
        await using DataPair pair = await DataPair.OpenAsync<SemicolonTests>(Fixture, "select 1");
        await using DbCommand theirs = Command(pair.Theirs);
        Assert.Equal("42601", (await Assert.ThrowsAsync<PostgresException>(() => theirs.ExecuteReaderAsync())).SqlState);
        await using DbCommand ours = Command(pair.Ours);
        await using DbDataReader reader = await ours.ExecuteReaderAsync();
        Assert.Equal("7,8", await ReadAsync(reader));

        static DbCommand Command(DbConnection connection)
        {
            DbCommand command = connection.Command("select $1;select $1 + 1");
            AddParameter(command.CommandText, command.Parameters, connection);
            return command;
        }
    }

    private static void AddParameter(string text, DbParameterCollection parameters, DbConnection connection)
    {
        bool isNamed = text.Contains("@p", StringComparison.Ordinal);
        if (isNamed || text.Contains("$1", StringComparison.Ordinal))
        {
            string? name = isNamed ? "p" : null;
            parameters.Add(connection is PgDbConnection ? new PgDbParameter(name, 7) : new NpgsqlParameter(name, 7));
        }
    }

    private static async Task<string> AnswerAsync(Func<Task<string>> run)
    {
        try
        {
            return await run();
        }
        catch (DbException refused) when (refused.SqlState is { } state)
        {
            return state;
        }
        catch (SystemException refused)
        {
            return refused.GetType().Name;
        }
    }

    private static async Task<string> ReadAsync(DbDataReader reader)
    {
        var results = new List<string>();
        do
        {
            while (await reader.ReadAsync())
            {
                results.Add($"{reader.GetValue(0)}");
            }
        }
        while (await reader.NextResultAsync());
        return string.Join(",", results);
    }
}
