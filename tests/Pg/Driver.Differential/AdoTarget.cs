using System.Data;
using System.Data.Common;
using Ioxide.Pg.Data;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Runs scripts by ADO.NET: Npgsql, or the facade.</summary>
internal sealed class AdoTarget(string name, string database, DbDataSource source, IAsyncDisposable? owner = null) : ScriptTarget(name, database)
{
    private const int FewRows = 2;

    private DbConnection? _connection;
    private DbTransaction? _transaction;

    /// <summary>Npgsql only: values come as the server prints them, and columns with the OIDs of their types.</summary>
    internal bool ReadsText { get; init; }

    public override async ValueTask DisposeAsync()
    {
        await EndScriptAsync();
        await source.DisposeAsync();
        if (owner is not null)
        {
            await owner.DisposeAsync();
        }
    }

    internal override async Task EndScriptAsync()
    {
        if (Interlocked.Exchange(ref _connection, null) is { } connection)
        {
            await connection.DisposeAsync();
        }

        _transaction = null;
    }

    private protected override async Task RunAsync(ScriptStep step, StepAnswer answer)
    {
        switch (step.Kind)
        {
            case StepKind.Command when step.IsShared:
                await using (DbConnection connection = await source.OpenConnectionAsync())
                {
                    await CommandAsync(connection, step.Statements, step.Mode, answer, default);
                }

                break;
            case StepKind.Command or StepKind.Text:
                await CommandAsync(await OpenAsync(), step.Statements, step.Mode, answer, default);
                break;
            case StepKind.Batch when !ReadsText:
                await BatchAsync(await OpenAsync(), step.Statements, answer);
                break;
            case StepKind.Batch:
                await CommandAsync(await OpenAsync(), step.Statements, StepMode.Reader, answer, default);
                break;
            case StepKind.Flock:
                await FlockAsync(step, answer, SharedAsync);
                break;
            case StepKind.Cancel:
                await CancelAsync(step, answer, token => SleepAsync(step, token), SharedAsync);
                break;
            case StepKind.CopyIn:
                await CopyInAsync(await OpenAsync(), step);
                break;
            case StepKind.CopyOut:
                await CopyOutAsync(await OpenAsync(), step, answer);
                break;
            default:
                await TransactionAsync(step);
                break;
        }
    }

    private async Task TransactionAsync(ScriptStep step)
    {
        DbConnection connection = await OpenAsync();
        DbTransaction? transaction = _transaction;
        if (step.Kind == StepKind.Begin)
        {
            _transaction = await connection.BeginTransactionAsync(
                step.Name.Length > 0 ? Enum.Parse<IsolationLevel>(step.Name) : IsolationLevel.Unspecified);
        }
        else if (transaction is not null)
        {
            _transaction = step.Kind is StepKind.Commit or StepKind.Rollback ? null : transaction;
            await (step.Kind switch
            {
                StepKind.Commit => transaction.CommitAsync(),
                StepKind.Rollback => transaction.RollbackAsync(),
                StepKind.Save => transaction.SaveAsync(step.Name),
                StepKind.RollbackTo => transaction.RollbackAsync(step.Name),
                _ => transaction.ReleaseAsync(step.Name),
            });
        }
    }

    private async Task<DbConnection> OpenAsync() => _connection ??= await source.OpenConnectionAsync();

    private async Task SharedAsync(ScriptStatement statement, StepAnswer answer)
    {
        await using DbConnection connection = await source.OpenConnectionAsync();
        await CommandAsync(connection, [statement], StepMode.Reader, answer, default);
    }

    private async Task SleepAsync(ScriptStep step, CancellationToken cancellationToken)
    {
        if (step.IsShared)
        {
            await using DbConnection connection = await source.OpenConnectionAsync(CancellationToken.None);
            await CommandAsync(connection, [step.Statements[0]], StepMode.Reader, new StepAnswer(), cancellationToken);
        }
        else
        {
            await CommandAsync(await OpenAsync(), [step.Statements[0]], StepMode.Reader, new StepAnswer(), cancellationToken);
        }
    }

    private async Task CommandAsync(
        DbConnection connection, IReadOnlyList<ScriptStatement> statements, StepMode mode, StepAnswer answer, CancellationToken cancellationToken)
    {
        await using DbCommand command = connection.CreateCommand();
        bool isOne = statements.Count == 1;
        command.CommandText = isOne ? statements[0].Positional : string.Join("\n;\n", statements.Select(static (statement, index) => statement.Named(index)));
        for (int index = 0; index < statements.Count; index++)
        {
            Fill(command.Parameters, command.CreateParameter, statements[index], isOne ? null : index);
        }

        if (command is NpgsqlCommand npgsql)
        {
            npgsql.AllResultTypesAreUnknown = ReadsText;
        }

        if (mode == StepMode.Prepared && !ReadsText)
        {
            await command.PrepareAsync(cancellationToken);
        }

        switch (mode)
        {
            case StepMode.NonQuery:
                answer.Results.Add(new AnsweredResult { Affected = await command.ExecuteNonQueryAsync(cancellationToken) });
                break;
            case StepMode.Scalar:
                await ScalarAsync(command, answer, cancellationToken);
                break;
            default:
                await ReadAsync(command, mode, answer, cancellationToken);
                break;
        }

        // Npgsql keeps it under its text, also when the server has forgotten it.
        if (mode == StepMode.Prepared && command is NpgsqlCommand prepared)
        {
            await prepared.UnprepareAsync(cancellationToken);
        }
    }

    private async Task ScalarAsync(DbCommand command, StepAnswer answer, CancellationToken cancellationToken)
    {
        var result = new AnsweredResult();
        object? value = await command.ExecuteScalarAsync(cancellationToken);
        result.Rows.Add([value is null ? "no row" : ReadsText && value is string text ? $"'{text}" : CellText.OfCell(() => value)]);
        answer.Results.Add(result);
    }

    private async Task ReadAsync(DbCommand command, StepMode mode, StepAnswer answer, CancellationToken cancellationToken)
    {
        CommandBehavior behavior = mode == StepMode.Streamed ? CommandBehavior.SequentialAccess : CommandBehavior.Default;
        await using DbDataReader reader = await command.ExecuteReaderAsync(behavior, cancellationToken);
        await ReadAllAsync(reader, mode, answer);
        await reader.CloseAsync();
        if (mode != StepMode.Few && answer.Results.Count > 0)
        {
            answer.Results[^1].Affected = reader.RecordsAffected;
        }
    }

    private async Task ReadAllAsync(DbDataReader reader, StepMode mode, StepAnswer answer)
    {
        do
        {
            var result = new AnsweredResult { Columns = [.. Enumerable.Range(0, reader.FieldCount).Select(column => ColumnOf(reader, column))] };
            answer.Results.Add(result);
            while ((mode != StepMode.Few || result.Rows.Count < FewRows) && await reader.ReadAsync())
            {
                result.Rows.Add([.. Enumerable.Range(0, reader.FieldCount).Select(column => Cell(reader, column))]);
            }
        }
        while (mode != StepMode.Few && await reader.NextResultAsync());
    }

    private async Task BatchAsync(DbConnection connection, IReadOnlyList<ScriptStatement> statements, StepAnswer answer)
    {
        await using DbBatch batch = connection.CreateBatch();
        foreach (ScriptStatement statement in statements)
        {
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = statement.Positional;
            Fill(command.Parameters, command.CreateParameter, statement, null);
            batch.BatchCommands.Add(command);
        }

        try
        {
            await using DbDataReader reader = await batch.ExecuteReaderAsync();
            await ReadAllAsync(reader, StepMode.Reader, answer);
        }
        catch (DbException error) when (error.BatchCommand is { } failed)
        {
            answer.FailedCommand = batch.BatchCommands.IndexOf(failed);
            throw;
        }

        answer.Results.Add(new AnsweredResult { Rows = { batch.BatchCommands.Select(static command => $"{command.RecordsAffected}").ToArray() } });
    }

    private static void Fill(DbParameterCollection parameters, Func<DbParameter> make, ScriptStatement statement, int? index)
    {
        for (int value = 0; value < statement.Values.Length; value++)
        {
            DbParameter parameter = make();
            if (index is { } named)
            {
                parameter.ParameterName = ScriptStatement.NameOf(named, value);
            }

            parameter.Value = statement.Values[value].Value ?? DBNull.Value;
            parameters.Add(parameter);
        }
    }

    private AnsweredColumn ColumnOf(DbDataReader reader, int column)
        => ReadsText
            ? new AnsweredColumn(reader.GetName(column), NativeTarget.TypeOf(((NpgsqlDataReader)reader).GetDataTypeOID(column)), "")
            : new AnsweredColumn(reader.GetName(column), reader.GetDataTypeName(column), CellText.OfType(() => reader.GetFieldType(column)));

    private string Cell(DbDataReader reader, int column)
        => ReadsText ? (reader.IsDBNull(column) ? "NULL" : $"'{reader.GetString(column)}") : CellText.OfCell(() => reader.GetValue(column));

    private static async Task CopyInAsync(DbConnection connection, ScriptStep step)
    {
        if (connection is not Npgsql.NpgsqlConnection npgsql)
        {
            await NativeTarget.CopyInAsync(((PgDbConnection)connection).Session, step);
            return;
        }

        NpgsqlCopyTextWriter writer = await npgsql.BeginTextImportAsync(step.Statements[0].Positional);
        await writer.WriteAsync(step.Name);
        await (step.Mode == StepMode.GivenUp ? new ValueTask(writer.CancelAsync()) : writer.DisposeAsync());
    }

    private static async Task CopyOutAsync(DbConnection connection, ScriptStep step, StepAnswer answer)
    {
        if (connection is not Npgsql.NpgsqlConnection npgsql)
        {
            await NativeTarget.CopyOutAsync(((PgDbConnection)connection).Session, step, answer);
            return;
        }

        using TextReader reader = await npgsql.BeginTextExportAsync(step.Statements[0].Positional);
        var result = new AnsweredResult();
        result.Rows.Add([await reader.ReadToEndAsync()]);
        answer.Results.Add(result);
    }
}
