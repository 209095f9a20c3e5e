using System.Data;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Tests;

/// <summary>One program on one driver: the answer of each step, as text.</summary>
/// <param name="source">The driver.</param>
/// <param name="kill">Ends a server process by its number.</param>
internal sealed class AdoRun(DbDataSource source, Func<int, Task> kill) : IAsyncDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    internal const string Hangs = "hangs";

    /// <summary>Which question to a reader is about a column.</summary>
    internal const int AskOfColumn = 3;

    private const string None = "nothing there";
    private const string NotCompared = "not compared";

    private readonly DbConnection?[] _connections = new DbConnection?[AdoProgram.ConnectionCount];
    private readonly int[] _processes = new int[AdoProgram.ConnectionCount];
    private readonly bool[] _isKilled = new bool[AdoProgram.ConnectionCount];
    private readonly DbTransaction?[] _transactions = new DbTransaction?[AdoProgram.TransactionCount];
    private readonly DbCommand?[] _commands = new DbCommand?[AdoProgram.CommandCount];
    private readonly List<string> _events = [];
    private readonly AdoTransactions _begun = new();
    private readonly List<DbDataReader> _readers = [];
    private DbDataReader? _reader;
    private bool _hasReaderFailed;
    private bool _isHanging;
    private DbBatch? _batch;

    /// <summary>Returns an answer per step; the last one says so where a step does not return.</summary>
    internal async Task<List<AdoAnswer>> RunAsync(AdoProgram program)
    {
        var answers = new List<AdoAnswer>();
        foreach (AdoStep step in program.Steps)
        {
            // On a thread of its own, because a synchronous call may be the one that hangs.
            Task<AdoAnswer> answer = Task.Run(() => AnswerAsync(step));
            try
            {
                answers.Add(await answer.WaitAsync(s_limit));
            }
            catch (TimeoutException)
            {
                answers.Add(new AdoAnswer(Hangs));
                _isHanging = true;
                break;
            }
        }

        return answers;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (DbConnection? connection in _connections)
        {
            if (connection is not null && !_isHanging && !await TryCloseAsync(connection))
            {
                // Its locks go with the server's process.
                await kill(_processes[Array.IndexOf(_connections, connection)]);
            }
        }
    }

    /// <summary>
    /// Npgsql throws instead of closing: the end of its server's process, an error of an open reader, that of a savepoint which it had not sent,
    /// an index of its own beyond its list where the text was changed below an open reader. Where a batch was disposed below one, it never closes.
    /// </summary>
    private static async Task<bool> TryCloseAsync(DbConnection connection)
    {
        const int MostAttempts = 4;
        for (int attempt = 1; attempt <= MostAttempts; attempt++)
        {
            try
            {
                await connection.DisposeAsync();
                return true;
            }
            catch (Exception) when (connection is Npgsql.NpgsqlConnection)
            {
            }
        }

        return false;
    }

    private async Task<AdoAnswer> AnswerAsync(AdoStep step)
    {
        // As the step finds them.
        var found = new AdoAnswer("")
        {
            IsReaderOpen = _readers.Exists(static reader => !reader.IsClosed),
            HasReaderFailed = _hasReaderFailed,
            IsTransactionUnusable = IsTransactionUnusable(step),
        };
        string answer;
        try
        {
            answer = await DoAsync(step);
        }
        catch (Exception exception)
        {
            answer = Describe(exception);
        }

        if (_events.Count > 0)
        {
            if (!_isKilled.Contains(true))
            {
                answer += $" [{string.Join(", ", _events)}]";
            }

            _events.Clear();
        }

        NoteEnds(step);
        return found with { Text = answer };
    }

    /// <summary>Whether what the step runs, or what it is set to, has a transaction that may be over, or one of another connection.</summary>
    private bool IsTransactionUnusable(AdoStep step) => step.Verb switch
    {
        AdoVerb.SetTransaction => _begun.MayBeOver(TransactionOf(step.Choice)),
        AdoVerb.NewBatch => step.IsAsync && _begun.MayBeOver(_transactions[0]),
        >= AdoVerb.Prepare and <= AdoVerb.CancelRunning when _commands[step.Slot] is { } command => _begun.IsUnusable(command.Transaction, command.Connection),
        AdoVerb.BatchNonQuery or AdoVerb.BatchReader when _batch is { } batch => _begun.IsUnusable(batch.Transaction, batch.Connection),
        _ => false,
    };

    /// <summary>What may have ended transactions, also where it failed.</summary>
    private void NoteEnds(AdoStep step)
    {
        switch (step.Verb)
        {
            case AdoVerb.Close or AdoVerb.DisposeConnection or AdoVerb.Kill:
                _begun.End(_connections[step.Slot % AdoProgram.ConnectionCount]);
                break;
            case AdoVerb.Commit or AdoVerb.Rollback or AdoVerb.DisposeTransaction:
                _begun.End(_transactions[step.Slot % AdoProgram.TransactionCount]);
                break;
            case AdoVerb.NonQuery or AdoVerb.Scalar when _commands[step.Slot] is { } command && AdoTexts.EndsTransaction(command.CommandText):
                _begun.End(command.Connection);
                break;
            case AdoVerb.Reader when _commands[step.Slot] is { } command
                && (AdoTexts.EndsTransaction(command.CommandText) || AdoTexts.BehaviorOf(step.Choice).HasFlag(CommandBehavior.CloseConnection)):
                _begun.End(command.Connection);
                break;
            case AdoVerb.BatchNonQuery or AdoVerb.BatchReader when _batch is { } batch
                && (batch.BatchCommands.Any(static command => AdoTexts.EndsTransaction(command.CommandText))
                    || (step.Verb == AdoVerb.BatchReader && AdoTexts.BehaviorOf(step.Choice).HasFlag(CommandBehavior.CloseConnection))):
                _begun.End(batch.Connection);
                break;
        }
    }

    private static string Describe(Exception exception) => exception switch
    {
        DbException { SqlState: { } state } error => $"! {state}{(error.IsTransient ? " transient" : "")}",
        DbException error => $"! DbException{(error.IsTransient ? " transient" : "")}{(error.InnerException is TimeoutException ? " timeout" : "")}",
        OperationCanceledException => "! OperationCanceledException",
        _ => $"! {exception.GetType().Name}",
    };

    private Task<string> DoAsync(AdoStep step)
    {
        if (_reader is { IsClosed: true } && step.Verb is (>= AdoVerb.Prepare and <= AdoVerb.Reader) or AdoVerb.CancelRunning or AdoVerb.BatchNonQuery or AdoVerb.BatchReader)
        {
            // Npgsql gives the same object to the next command.
            _reader = null;
        }

        return PassOnAsync(step);
    }

    private Task<string> PassOnAsync(AdoStep step) => step.Verb switch
    {
        <= AdoVerb.Kill => OnConnectionAsync(step),
        <= AdoVerb.AskTransaction => OnTransactionAsync(step),
        <= AdoVerb.DisposeCommand => OnCommandAsync(step),
        <= AdoVerb.CloseReader => OnReaderAsync(step),
        _ => OnBatchAsync(step),
    };

    private async Task<string> OnConnectionAsync(AdoStep step)
    {
        int slot = step.Slot % AdoProgram.ConnectionCount;
        DbConnection connection = ConnectionAt(slot);
        switch (step.Verb)
        {
            case AdoVerb.Open:
                await DoAsync(step.IsAsync, connection.Open, () => connection.OpenAsync());
                await NoteProcessAsync(slot);
                return "opened";
            case AdoVerb.Close:
                await DoAsync(step.IsAsync, connection.Close, connection.CloseAsync);
                _isKilled[slot] = false;
                return "closed";
            case AdoVerb.DisposeConnection:
                await DoAsync(step.IsAsync, connection.Dispose, () => connection.DisposeAsync().AsTask());
                _isKilled[slot] = false;
                return "disposed";
            case AdoVerb.AskConnection:
                return _isKilled[slot] ? NotCompared : $"{connection.State}";
            case AdoVerb.ChangeConnection:
                await DoAsync(step.IsAsync, () => connection.ConnectionString = "Host=127.0.0.9", () =>
                {
                    connection.ConnectionString = "Host=127.0.0.9";
                    return Task.CompletedTask;
                });
                return "changed";
            default:
                if (connection.State != ConnectionState.Open || _processes[slot] == 0 || _isKilled[slot])
                {
                    return None;
                }

                _isKilled[slot] = true;
                await kill(_processes[slot]);
                return "killed";
        }
    }

    private async Task NoteProcessAsync(int slot)
    {
        await using DbCommand command = ConnectionAt(slot).CreateCommand();
        command.CommandText = "select pg_backend_pid()";
        _processes[slot] = Convert.ToInt32(await command.ExecuteScalarAsync(), CultureInfo.InvariantCulture);
        _isKilled[slot] = false;
    }

    private DbConnection ConnectionAt(int slot)
    {
        if (_connections[slot] is { } there)
        {
            return there;
        }

        DbConnection connection = source.CreateConnection();
        connection.StateChange += (_, change) => _events.Add($"{slot}: {change.OriginalState} to {change.CurrentState}");
        return _connections[slot] = connection;
    }

    private async Task<string> OnTransactionAsync(AdoStep step)
    {
        int slot = step.Slot % AdoProgram.TransactionCount;
        if (step.Verb == AdoVerb.Begin)
        {
            DbConnection connection = ConnectionAt(step.Slot % AdoProgram.ConnectionCount);
            IsolationLevel level = AdoTexts.Levels[step.Choice % AdoTexts.Levels.Length];
            _transactions[slot] = step.IsAsync ? await connection.BeginTransactionAsync(level) : connection.BeginTransaction(level);
            _begun.Add(_transactions[slot]!, connection); // Begun just now.
            return "begun";
        }

        if (_transactions[slot] is not { } transaction)
        {
            return None;
        }

        switch (step.Verb)
        {
            case AdoVerb.Commit: await DoAsync(step.IsAsync, transaction.Commit, () => transaction.CommitAsync()); break;
            case AdoVerb.Rollback: await DoAsync(step.IsAsync, transaction.Rollback, () => transaction.RollbackAsync()); break;
            case AdoVerb.Save: await DoAsync(step.IsAsync, () => transaction.Save("s"), () => transaction.SaveAsync("s")); break;
            case AdoVerb.RollbackTo: await DoAsync(step.IsAsync, () => transaction.Rollback("s"), () => transaction.RollbackAsync("s")); break;
            case AdoVerb.Release: await DoAsync(step.IsAsync, () => transaction.Release("s"), () => transaction.ReleaseAsync("s")); break;
            case AdoVerb.DisposeTransaction: await DoAsync(step.IsAsync, transaction.Dispose, () => transaction.DisposeAsync().AsTask()); break;
            default: return $"{(transaction.Connection is null ? "no connection" : "connected")}, {transaction.IsolationLevel}";
        }

        return "done";
    }

    private async Task<string> OnCommandAsync(AdoStep step)
    {
        if (step.Verb == AdoVerb.NewCommand)
        {
            DbCommand made = ConnectionAt(step.Choice / 7 % 5 == 0 ? 1 : 0).CreateCommand();
            made.CommandText = AdoTexts.Of(step.Choice);
            _commands[step.Slot] = made;
            return "made";
        }

        if (_commands[step.Slot] is not { } command)
        {
            return None;
        }

        switch (step.Verb)
        {
            case AdoVerb.SetText: command.CommandText = AdoTexts.Of(step.Choice); break;
            case AdoVerb.SetTransaction: command.Transaction = TransactionOf(step.Choice); break;
            case AdoVerb.SetTimeout: command.CommandTimeout = step.Choice % 3 == 0 ? -1 : 60; break;
            case AdoVerb.SetParameter: SetParameter(command, step.Choice); break;
            case AdoVerb.Prepare: await PrepareAsync(command, step); break;
            case AdoVerb.NonQuery: return $"{(step.IsAsync ? await command.ExecuteNonQueryAsync() : command.ExecuteNonQuery())} rows";
            case AdoVerb.Scalar: return Text(step.IsAsync ? await command.ExecuteScalarAsync() : command.ExecuteScalar());
            case AdoVerb.Reader: return await ExecuteAsync(command, step);
            case AdoVerb.Cancel: command.Cancel(); break;
            case AdoVerb.CancelRunning: return await CancelRunningAsync(command, byToken: step.IsAsync);
            case AdoVerb.AskCommand: return $"{command.CommandTimeout}, {command.CommandType}, {command.UpdatedRowSource}, {(command.Transaction is null ? "no" : "a")} transaction";
            default: await DoAsync(step.IsAsync, command.Dispose, () => command.DisposeAsync().AsTask()); break;
        }

        return "done";
    }

    private DbTransaction? TransactionOf(int choice) => choice % 4 == 0 ? null : _transactions[choice % AdoProgram.TransactionCount];

    private static Task PrepareAsync(DbCommand command, AdoStep step)
        => DoAsync(step.IsAsync, command.Prepare, () => command.PrepareAsync(new CancellationToken(canceled: step.Choice % 5 == 0)));

    private static void SetParameter(DbCommand command, int choice)
    {
        string name = choice % 3 == 0 ? "q" : "p";
        int index = command.Parameters.IndexOf(name);
        if (index >= 0 && choice % 7 == 0)
        {
            command.Parameters.RemoveAt(index);
            return;
        }

        DbParameter parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = AdoTexts.ValueOf(choice);
        if (parameter.Value is null && choice % 2 == 0)
        {
            parameter.DbType = DbType.Int32;
        }

        if (index >= 0)
        {
            command.Parameters[index] = parameter;
        }
        else
        {
            command.Parameters.Add(parameter);
        }
    }

    private async Task<string> ExecuteAsync(DbCommand command, AdoStep step)
    {
        CommandBehavior behavior = AdoTexts.BehaviorOf(step.Choice);
        return ColumnsOf(step.IsAsync ? await command.ExecuteReaderAsync(behavior) : command.ExecuteReader(behavior));
    }

    private string ColumnsOf(DbDataReader reader)
    {
        _reader = reader;
        _readers.Add(reader);
        _hasReaderFailed = false;
        return $"{reader.FieldCount} columns";
    }

    /// <summary>The token fires, or the command is cancelled, while the server sleeps.</summary>
    private static async Task<string> CancelRunningAsync(DbCommand command, bool byToken)
    {
        string text = command.CommandText;
        command.CommandText = "select pg_sleep(20)";
        try
        {
            if (!byToken)
            {
                Task<int> running = command.ExecuteNonQueryAsync();
                await Task.WhenAny(running, Task.Delay(30));
                while (!running.IsCompleted)
                {
                    command.Cancel();
                    await Task.WhenAny(running, Task.Delay(1000));
                }

                return $"{await running} rows";
            }

            using var ending = new CancellationTokenSource(TimeSpan.FromMilliseconds(30));
            return $"{await command.ExecuteNonQueryAsync(ending.Token)} rows";
        }
        finally
        {
            command.CommandText = text;
        }
    }

    private async Task<string> OnReaderAsync(AdoStep step)
    {
        if (_reader is not { } reader)
        {
            return None;
        }

        switch (step.Verb)
        {
            case AdoVerb.Read: return await MoveAsync(step.IsAsync, reader.Read, reader.ReadAsync);
            case AdoVerb.NextResult: return await MoveAsync(step.IsAsync, reader.NextResult, reader.NextResultAsync);
            case AdoVerb.Value: return Text(step.IsAsync ? await reader.GetFieldValueAsync<object>(step.Choice % 3) : reader.GetValue(step.Choice % 3));
            case AdoVerb.Schema: return Text((reader.GetSchemaTable())?.Rows.Count);
            case AdoVerb.CloseReader:
                await DoAsync(step.IsAsync, reader.Close, reader.CloseAsync);
                return $"closed, {reader.RecordsAffected} affected";
            default: return Ask(reader, step.Choice);
        }
    }

    /// <summary>A reader that has failed stays so until it comes to another result.</summary>
    private async Task<string> MoveAsync(bool isAsync, Func<bool> now, Func<Task<bool>> later)
    {
        try
        {
            bool hasMoved = isAsync ? await later() : now();
            _hasReaderFailed &= !hasMoved;
            return $"{hasMoved}";
        }
        catch (Exception failure) when (failure is DbException or OperationCanceledException)
        {
            _hasReaderFailed = true;
            throw;
        }
    }

    private static string Ask(DbDataReader reader, int choice) => (choice % 7) switch
    {
        0 => $"has rows: {reader.HasRows}",
        1 => $"{reader.FieldCount} columns",
        2 => $"closed: {reader.IsClosed}",
        AskOfColumn => $"{reader.GetName(choice % 2)} {reader.GetDataTypeName(choice % 2)} {reader.GetFieldType(choice % 2).Name}",
        4 => $"null: {reader.IsDBNull(choice % 2)}",
        5 => $"depth {reader.Depth}, {(reader.IsClosed ? $"{reader.RecordsAffected} affected" : "open")}",
        _ => $"at {reader.GetOrdinal("i")}",
    };

    private async Task<string> OnBatchAsync(AdoStep step)
    {
        if (step.Verb == AdoVerb.NewBatch)
        {
            _batch = ConnectionAt(step.Slot % AdoProgram.ConnectionCount).CreateBatch();
            foreach (string text in AdoTexts.BatchOf(step.Choice))
            {
                DbBatchCommand command = _batch.CreateBatchCommand();
                command.CommandText = text;
                _batch.BatchCommands.Add(command);
            }

            _batch.Transaction = step.IsAsync ? _transactions[0] : null;
            return "made";
        }

        if (_batch is not { } batch)
        {
            return None;
        }

        if (step is { Verb: AdoVerb.BatchNonQuery, Choice: var choice } && choice % 3 == 0)
        {
            await DoAsync(step.IsAsync, batch.Prepare, () => batch.PrepareAsync());
        }

        switch (step.Verb)
        {
            case AdoVerb.BatchNonQuery: return $"{(step.IsAsync ? await batch.ExecuteNonQueryAsync() : batch.ExecuteNonQuery())} rows";
            case AdoVerb.BatchReader:
                CommandBehavior behavior = AdoTexts.BehaviorOf(step.Choice);
                return ColumnsOf(step.IsAsync ? await batch.ExecuteReaderAsync(behavior) : batch.ExecuteReader(behavior));
            default:
                await DoAsync(step.IsAsync, batch.Dispose, () => batch.DisposeAsync().AsTask());
                return "disposed";
        }
    }

    private static string Text(object? value) => value switch
    {
        null => "null",
        DBNull => "DBNull",
        Array array => $"{value.GetType().Name} {string.Join(',', array.Cast<object?>())}",
        string { Length: > 40 } text => $"String of {text.Length}",
        _ => string.Create(CultureInfo.InvariantCulture, $"{value.GetType().Name} {value}"),
    };

    private static async Task DoAsync(bool isAsync, Action now, Func<Task> later)
    {
        if (isAsync)
        {
            await later();
        }
        else
        {
            now();
        }
    }
}
