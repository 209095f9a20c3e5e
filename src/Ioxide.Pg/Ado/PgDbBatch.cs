using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>
/// Commands that are sent together with one Sync. A failure undoes all, and names the command (<see cref="DbException.BatchCommand"/>).
/// </summary>
public sealed class PgDbBatch : DbBatch
{
    private readonly PgDbBatchCommandCollection _commands = new();
    private PgDbConnection? _connection;
    private int? _timeoutSeconds;
    private volatile DataRoundTrip? _running;
    private DbTransaction? _transaction;

    /// <summary>Seconds for all commands together; 0 means no limit. Defaults to the data source's.</summary>
    public override int Timeout
    {
        get => _timeoutSeconds ?? (int)(_connection?.DefaultCommandTimeout.TotalSeconds ?? 30);
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeoutSeconds = value;
        }
    }

    /// <inheritdoc/>
    protected override DbBatchCommandCollection DbBatchCommands => _commands;

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => _connection;
        set => _connection = value is null or PgDbConnection
            ? (PgDbConnection?)value
            : throw new InvalidCastException($"The batch takes a {nameof(PgDbConnection)} only.");
    }

    /// <inheritdoc cref="PgDbCommand.DbTransaction"/>
    protected override DbTransaction? DbTransaction
    {
        get => _transaction;
        set => _transaction = CommandRun.Usable(value);
    }

    private PgDbConnection Connected => _connection ?? throw new InvalidOperationException("The batch has no connection.");

    /// <inheritdoc/>
    public override void Cancel() => _running?.RequestCancel(this);

    /// <summary>Has the server parse the statements now. It is not needed: each statement is prepared when it is used again.</summary>
    /// <exception cref="InvalidOperationException">The batch has no open connection, or a command has no text.</exception>
    /// <exception cref="PgException">The server refuses a statement.</exception>
    public override void Prepare()
    {
        if (_commands.Count > 0)
        {
            ExecuteDbDataReader(CommandBehavior.SchemaOnly).Close();
        }
    }

    /// <inheritdoc cref="Prepare"/>
    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_commands.Count > 0)
        {
            DbDataReader reader = await ExecuteDbDataReaderAsync(CommandBehavior.SchemaOnly, cancellationToken).ConfigureAwait(false);
            await reader.CloseAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public override int ExecuteNonQuery()
    {
        if (!HasOutput())
        {
            return CommandRun.NonQuery(Connected, Start(CommandBehavior.Default, isNonQuery: true, default));
        }

        using DbDataReader reader = ExecuteDbDataReader(CommandBehavior.Default);
        while (reader.NextResult())
        {
        }

        return reader.RecordsAffected;
    }

    /// <inheritdoc/>
    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return cancellationToken.IsCancellationRequested ? Task.FromCanceled<int>(cancellationToken)
                : HasOutput() ? FillOutputAsync(cancellationToken)
                : HasStreams() ? ReadStreamsThenExecuteAsync(cancellationToken)
                : CommandRun.NonQueryAsync(Connected, Start(CommandBehavior.Default, isNonQuery: true, cancellationToken));
        }
        catch (Exception exception)
        {
            return Task.FromException<int>(exception);
        }
    }

    /// <inheritdoc/>
    public override object? ExecuteScalar() => CommandRun.Scalar((PgDbDataReader)ExecuteDbDataReader(CommandBehavior.Default));

    /// <inheritdoc/>
    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken = default)
        => CommandRun.ScalarAsync(ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken), cancellationToken);

    /// <inheritdoc/>
    protected override DbBatchCommand CreateDbBatchCommand() => new PgDbBatchCommand();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
        => CommandRun.Reader(Connected, Start(behavior, isNonQuery: false, default), behavior);

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        try
        {
            return cancellationToken.IsCancellationRequested ? Task.FromCanceled<DbDataReader>(cancellationToken)
                : HasStreams() && (behavior & CommandBehavior.SchemaOnly) == 0 ? ReadStreamsThenExecuteAsync(behavior, cancellationToken)
                : CommandRun.ReaderAsync(Connected, Start(behavior, isNonQuery: false, cancellationToken), behavior);
        }
        catch (Exception exception)
        {
            return Task.FromException<DbDataReader>(exception);
        }
    }

    private bool HasStreams() => _commands.Items.Exists(static command => command.Parameters.HasStreams());

    private bool HasOutput() => _commands.Items.Exists(static command => command.Parameters.HasOutput());

    private async Task<int> FillOutputAsync(CancellationToken cancellationToken)
    {
        DbDataReader reader = await ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            while (await reader.NextResultAsync(cancellationToken).ConfigureAwait(false))
            {
            }

            return reader.RecordsAffected;
        }
    }

    private async Task<int> ReadStreamsThenExecuteAsync(CancellationToken cancellationToken)
    {
        await ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        return await CommandRun.NonQueryAsync(Connected, Start(CommandBehavior.Default, isNonQuery: true, cancellationToken)).ConfigureAwait(false);
    }

    private async Task<DbDataReader> ReadStreamsThenExecuteAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        await ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        DataRoundTrip roundTrip = Start(behavior, isNonQuery: false, cancellationToken);
        return await CommandRun.ReaderAsync(Connected, roundTrip, behavior).ConfigureAwait(false);
    }

    private async Task ReadStreamsAsync(CancellationToken cancellationToken)
    {
        foreach (PgDbBatchCommand command in _commands.Items)
        {
            await command.Parameters.ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private DataRoundTrip Start(CommandBehavior behavior, bool isNonQuery, CancellationToken cancellationToken)
    {
        PgDbConnection connection = Connected;
        CommandRun.RequireRunning(DbTransaction, connection);
        DataRoundTrip roundTrip = connection.Rent();
        try
        {
            roundTrip.IsNonQuery = isNonQuery;
            roundTrip.IsSchemaOnly = (behavior & CommandBehavior.SchemaOnly) != 0;
            roundTrip.IsSequential = (behavior & CommandBehavior.SequentialAccess) != 0 && !HasOutput();
            foreach (PgDbBatchCommand command in _commands.Items)
            {
                command.Started();
                CommandRun.Add(
                    roundTrip, connection, CommandRun.TextOf(command.CommandText, command.CommandType, command.Parameters),
                    command.Parameters, command);
            }

            if (roundTrip.IsSchemaOnly)
            {
                roundTrip.ExpectRepetition();
            }
        }
        catch
        {
            roundTrip.Drop();
            throw;
        }

        _running = roundTrip;
        TimeSpan timeout = _timeoutSeconds is { } seconds ? TimeSpan.FromSeconds(seconds) : connection.DefaultCommandTimeout;
        connection.Start(roundTrip, this, timeout, cancellationToken);
        return roundTrip;
    }
}
