using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>Output parameters of a batch's commands: filled from the first row of their command's result, on the facade as on Npgsql.</summary>
public class BatchOutputTests() : PairTests("create table if not exists filled (x int); truncate filled", TestDatabase.OneReactor)
{
    [Theory, Each("nonQuery", "nonQueryAsync", "scalar", "reader", "readerAsync", "sequential")]
    public async Task EachCommandFillsItsOwn(string way)
    {
        List<string>[] answers = [await FillAsync(Pair.Theirs, way), await FillAsync(Pair.Ours, way)];
        Assert.Equal(answers[0], answers[1]);
    }

    private static async Task<List<string>> FillAsync(DbConnection connection, string way)
    {
        await using DbBatch batch = connection.CreateBatch();
        Add(batch, "select i as a, i + 1 as b from generate_series(1, 2) i", "b", "other");
        Add(batch, "insert into filled values (1)");
        Add(batch, "select 3 as a", "a");
        Add(batch, "select 4 as a where false", "a");
        Add(batch, "insert into filled values (2) returning x", "x");
        var answers = new List<string>();
        switch (way)
        {
            case "nonQuery":
                answers.Add($"{batch.ExecuteNonQuery()}");
                break;
            case "nonQueryAsync":
                answers.Add($"{await batch.ExecuteNonQueryAsync()}");
                break;
            case "scalar":
                answers.Add($"{batch.ExecuteScalar()}");

                // Where the batch ends behind its first value, its later results are not read.
                answers.Add(ValuesOf(batch)[..1][0]);
                return answers;
            default:
                CommandBehavior behavior = way == "sequential" ? CommandBehavior.SequentialAccess : CommandBehavior.Default;
                await using (DbDataReader reader = way == "reader" ? batch.ExecuteReader(behavior) : await batch.ExecuteReaderAsync(behavior))
                {
                    do
                    {
                        answers.AddRange(ValuesOf(batch));
                        while (way == "reader" ? reader.Read() : await reader.ReadAsync())
                        {
                            answers.Add($"row {reader.GetInt32(0)}");
                        }
                    }
                    while (way == "reader" ? reader.NextResult() : await reader.NextResultAsync());
                }

                break;
        }

        answers.AddRange(ValuesOf(batch));
        return answers;
    }

    private static string[] ValuesOf(DbBatch batch)
        => [.. batch.BatchCommands.Select(static command => string.Join(' ', command.Parameters.Cast<DbParameter>().Select(static parameter => $"{parameter.Value ?? "none"}")))];

    private static void Add(DbBatch batch, string sql, params string[] outputs)
    {
        DbBatchCommand command = batch.CreateBatchCommand();
        command.CommandText = sql;
        foreach (string output in outputs)
        {
            DbParameter parameter = command.CreateParameter();
            parameter.ParameterName = output;
            parameter.Direction = ParameterDirection.Output;
            parameter.DbType = DbType.Int32;
            command.Parameters.Add(parameter);
        }

        batch.BatchCommands.Add(command);
    }
}
