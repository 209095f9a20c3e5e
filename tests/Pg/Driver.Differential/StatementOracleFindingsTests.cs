using System.Data.Common;
using System.Text;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What the statement oracle found, each by itself: the facade and Npgsql are asked the same.</summary>
public class StatementOracleFindingsTests() : SourceTests(hasOneConnection: false)
{
    [Theory, AllValues]
    public async Task WhatRunsOnTheSessionOfAConnectionIsPartOfItsTransaction(bool commits)
    {
        await using var connection = (PgDbConnection)await Db.AsDbDataSource().OpenConnectionAsync();
        await connection.Session.RunScriptAsync("drop table if exists copied; create table copied (i int4)");
        await using (DbTransaction transaction = await connection.BeginTransactionAsync())
        {
            await using (PgCopyIn copy = await connection.Session.CopyInAsync("copy copied from stdin"u8.ToArray()))
            {
                await copy.WriteAsync(Encoding.UTF8.GetBytes("1\n2\n"));
                Assert.Equal(2, await copy.CompleteAsync().AsTask().Within(20.Seconds()));
            }

            Assert.True(connection.Session.IsInTransaction);
            await (commits ? transaction.CommitAsync() : transaction.RollbackAsync());
        }

        Assert.Equal(commits ? 2L : 0L, await Db.Query(PgStatement.Create("select count(*) from copied"u8)).ScalarAsync<long>());
    }

    [Theory, Each(
        "select array['1']::bit[] as one, array['101']::bit(3)[] as three, array[array['1'], array['0']]::bit[] as square, null::bit[] as none",
        "prepare mine (int4) as select $1 + 1; execute mine (41); deallocate mine")]
    public async Task TheFacadeAnswersLikeNpgsql(string sql)
    {
        await using DataPair pair = await DataPair.OpenAsync<StatementOracleFindingsTests>(Fixture, "");
        string[] answers = new string[2];
        for (int side = 0; side < 2; side++)
        {
            await using DbCommand command = pair.Both[side].CreateCommand();
            command.CommandText = sql;
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            Assert.True(await reader.ReadAsync());
            answers[side] = string.Join(" | ", Enumerable.Range(0, reader.FieldCount).Select(
                column => $"{reader.GetFieldType(column).Name} {CellText.OfCell(() => reader.GetValue(column))}"));
        }

        Assert.Equal(answers[0], answers[1]);
    }
}
