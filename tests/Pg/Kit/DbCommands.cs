using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Tests;

/// <summary>A question to an ADO.NET connection of any driver in one call.</summary>
internal static class DbCommands
{
    internal static DbCommand Command(this DbConnection connection, string text)
    {
        DbCommand command = connection.CreateCommand();
        command.CommandText = text;
        return command;
    }

    /// <summary>A batch of texts.</summary>
    internal static DbBatch Batch(this DbConnection connection, params string[] texts)
    {
        DbBatch batch = connection.CreateBatch();
        foreach (string text in texts)
        {
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = text;
            batch.BatchCommands.Add(command);
        }

        return batch;
    }

    internal static DbParameter Add(this DbCommand command, string? name, object? value)
    {
        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value;
        command.Parameters.Add(parameter);
        return parameter;
    }

    internal static async Task<DbDataReader> ReaderAsync(this DbConnection connection, string text, CommandBehavior behavior = CommandBehavior.Default)
    {
        await using DbCommand command = connection.Command(text);
        return await command.ExecuteReaderAsync(behavior);
    }

    /// <summary>A reader that has read its first row.</summary>
    internal static async Task<DbDataReader> FirstRowAsync(this DbConnection connection, string text, CommandBehavior behavior = CommandBehavior.Default)
    {
        DbDataReader reader = await connection.ReaderAsync(text, behavior);
        Assert.True(await reader.ReadAsync());
        return reader;
    }

    internal static async Task<object?> ScalarAsync(this DbConnection connection, string text)
    {
        await using DbCommand command = connection.Command(text);
        return await command.ExecuteScalarAsync();
    }

    internal static async Task<int> NonQueryAsync(this DbConnection connection, string text)
    {
        await using DbCommand command = connection.Command(text);
        return await command.ExecuteNonQueryAsync();
    }
}
