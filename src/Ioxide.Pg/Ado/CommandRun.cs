using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>Code that a command and a batch share.</summary>
internal static class CommandRun
{
    private const int IndexesOnStack = 32;

    /// <summary>The text of a command of any kind.</summary>
    internal static string TextOf(string text, CommandType type, PgDbParameterCollection parameters) => type switch
    {
        CommandType.Text => text,
        CommandType.TableDirect => $"select * from {text}",
        _ => $"call {text}({string.Join(", ", Enumerable.Range(0, parameters.Count)
            .Where(index => parameters[index].Direction != ParameterDirection.ReturnValue).Select(index => Argument(parameters[index], index)))})",
    };

    /// <summary>Adds the statements of a text, with their values.</summary>
    internal static void Add(
        DataRoundTrip roundTrip, PgDbConnection connection, string sql, PgDbParameterCollection parameters, PgDbBatchCommand? command)
    {
        RequireText(sql);
        PgDbDataSource source = connection.Source;
        ParsedSql text = source.Texts.Get(sql, connection.OpenSession.Connection.Session.HasEscapes);
        int count = text.Names.Length;
        Span<int> indexes = count <= IndexesOnStack ? stackalloc int[IndexesOnStack] : new int[count];
        ulong missing = text.Match(parameters, indexes);
        BoundStatement[] statements = text.StatementsFor(missing, source.Source);
        if (command is not null && statements.Length > 1)
        {
            // One text, one result, one count. The server refuses what a text without names holds; one with names is never sent as written.
            statements = parameters.Count > 0 && parameters[0].BareName.Length > 0
                ? throw new NotSupportedException(
                    "A batch command with named parameters has several statements. Give each a batch command of its own, and remove the semicolons.")
                : [text.AsWritten(source.Source)];
        }

        foreach (BoundStatement statement in statements)
        {
            roundTrip.Add(statement.Statement, isHidden: false, command)
                .Bind(statement, indexes, parameters, source.Types, roundTrip.IsSchemaOnly);
        }
    }

    internal static void RequireText(string sql)
    {
        if (sql.Length == 0)
        {
            throw new InvalidOperationException("The command has no text.");
        }
    }

    /// <exception cref="InvalidOperationException">The transaction is over.</exception>
    internal static DbTransaction? Usable(DbTransaction? transaction)
        => transaction is PgDbTransaction { IsOver: true }
            ? throw new InvalidOperationException("The transaction is over: a command with it would run outside of any.")
            : transaction;

    /// <exception cref="InvalidOperationException">The transaction that was set for the command is over: it would run outside of any.</exception>
    internal static void RequireRunning(DbTransaction? transaction, PgDbConnection connection)
    {
        if (transaction is PgDbTransaction { IsOver: true } || (transaction is not null && !ReferenceEquals(transaction, connection.Transaction)))
        {
            throw new InvalidOperationException(
                "The transaction of the command is over, or of another connection. Set Transaction to the connection's own, or to null.");
        }
    }

    internal static int NonQuery(PgDbConnection connection, DataRoundTrip roundTrip)
    {
        try
        {
            while (roundTrip.Rows.NextChunk(roundTrip.Version))
            {
            }

            return Affected(connection, roundTrip);
        }
        finally
        {
            roundTrip.ReaderDone();
        }
    }

    internal static async Task<int> NonQueryAsync(PgDbConnection connection, DataRoundTrip roundTrip)
    {
        try
        {
            while (await roundTrip.Rows.NextChunkAsync(roundTrip.Version).ConfigureAwait(false))
            {
            }

            return Affected(connection, roundTrip);
        }
        finally
        {
            roundTrip.ReaderDone();
        }
    }

    /// <summary>The first value of the first row, once the command is over: what ends it early may have undone what the value came from.</summary>
    internal static object? Scalar(PgDbDataReader reader)
    {
        using (reader)
        {
            object? value = reader.FieldCount > 0 && reader.Read() ? reader.GetValue(0) : null;
            reader.CloseWhole();
            return value;
        }
    }

    /// <inheritdoc cref="Scalar"/>
    internal static async Task<object?> ScalarAsync(Task<DbDataReader> opening, CancellationToken cancellationToken)
    {
        var reader = (PgDbDataReader)await opening.ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            object? value = reader.FieldCount > 0 && await reader.ReadAsync(cancellationToken).ConfigureAwait(false) ? reader.GetValue(0) : null;
            await reader.CloseWholeAsync().ConfigureAwait(false);
            return value;
        }
    }

    /// <summary>Returns a reader at the first result. Throws an error of that statement or of an earlier one.</summary>
    /// <param name="connection">The connection that runs the round trip.</param>
    /// <param name="roundTrip">The started round trip.</param>
    /// <param name="behavior">The behavior that the caller requested.</param>
    internal static PgDbDataReader Reader(PgDbConnection connection, DataRoundTrip roundTrip, CommandBehavior behavior)
    {
        var reader = new PgDbDataReader(connection, roundTrip, behavior);
        connection.Reader = reader;
        return reader.Begin();
    }

    /// <inheritdoc cref="Reader"/>
    internal static Task<DbDataReader> ReaderAsync(PgDbConnection connection, DataRoundTrip roundTrip, CommandBehavior behavior)
    {
        var reader = new PgDbDataReader(connection, roundTrip, behavior);
        connection.Reader = reader;
        return reader.BeginAsync();
    }

    /// <summary>The exception of a command: a moment that cannot be sent is an argument that is wrong.</summary>
    internal static Exception ErrorOf(Exception error)
        => error is PgTypeException { IsKind: true } refused ? new ArgumentException(refused.Message, refused) : error;

    private static int Affected(PgDbConnection connection, DataRoundTrip roundTrip)
    {
        if (roundTrip.Error is { } error)
        {
            connection.NoticeLoss();
            if (roundTrip.LeavesTransaction)
            {
                roundTrip.Ends?.Continue();
            }

            throw ErrorOf(error);
        }

        if (roundTrip.IsCommit && roundTrip.Count > 0 && roundTrip[0].Tag.Command == "ROLLBACK")
        {
            throw new InvalidOperationException("A command of the transaction had failed. The commit rolled everything back.");
        }

        long sum = -1;
        for (int i = 0; i < roundTrip.Count; i++)
        {
            roundTrip[i].AddAffected(ref sum);
        }

        return (int)Math.Min(sum, int.MaxValue);
    }

    private static string Argument(PgDbParameter parameter, int index)
    {
        string value = parameter.IsInput ? $"${index + 1}" : "null";
        return parameter.BareName.Length > 0 ? $"{SqlName.Quote(parameter.BareName)} => {value}" : value;
    }
}
