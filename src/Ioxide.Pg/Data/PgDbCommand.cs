using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>A command of ADO.NET: one or more statements, with <c>@name</c>, <c>:name</c> or <c>$1</c> for its parameters.</summary>
/// <remarks>
/// <para>Several statements, separated by semicolons, are sent together with one Sync: outside a transaction they form one transaction.
/// Each statement is prepared automatically on its first use, and stays prepared; <see cref="Prepare"/> is not needed.</para>
/// <para><c>in @ids</c> with a list becomes <c>= any($1)</c>, so that lists of any length share one statement.</para>
/// </remarks>
public sealed class PgDbCommand : DbCommand
{
    private string _text;
    private PgDbConnection? _connection;
    private int? _timeoutSeconds;
    private volatile DataOperation? _running;

    /// <summary>Creates a command.</summary>
    public PgDbCommand()
        : this(null, null)
    {
    }

    /// <summary>Creates a command with its text.</summary>
    /// <param name="text">The statements.</param>
    /// <param name="connection">The connection that runs it.</param>
    public PgDbCommand(string? text, PgDbConnection? connection)
    {
        _text = text ?? "";
        _connection = connection;
    }

    /// <inheritdoc/>
    [AllowNull]
    public override string CommandText
    {
        get => _text;
        set
        {
            ThrowIfReading();
            _text = value ?? "";
        }
    }

    /// <summary>Seconds from when the server can begin with it; 0 means no limit. Defaults to the data source's.</summary>
    public override int CommandTimeout
    {
        get => _timeoutSeconds ?? (int)(_connection?.DefaultCommandTimeout.TotalSeconds ?? 30);
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _timeoutSeconds = value;
        }
    }

    /// <inheritdoc/>
    public override CommandType CommandType { get; set; } = CommandType.Text;

    /// <inheritdoc/>
    public override bool DesignTimeVisible { get; set; }

    /// <inheritdoc/>
    public override UpdateRowSource UpdatedRowSource { get; set; } = UpdateRowSource.Both;

    /// <inheritdoc cref="DbCommand.Parameters"/>
    public new PgDbParameterCollection Parameters { get; } = new();

    /// <inheritdoc/>
    protected override DbConnection? DbConnection
    {
        get => _connection;
        set
        {
            if (ReferenceEquals(value, _connection))
            {
                return;
            }

            ThrowIfReading();
            _connection = value is null or PgDbConnection
                ? (PgDbConnection?)value
                : throw new InvalidCastException($"The command takes a {nameof(PgDbConnection)} only.");
        }
    }

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    /// <summary>Has no effect: a connection has at most one transaction, and every command is part of it.</summary>
    protected override DbTransaction? DbTransaction { get; set; }

    private TimeSpan Timeout => _timeoutSeconds is { } seconds ? TimeSpan.FromSeconds(seconds) : Connected.DefaultCommandTimeout;

    private PgDbConnection Connected => _connection ?? throw new InvalidOperationException("The command has no connection.");

    /// <summary>Asks the server to cancel the running command, which fails with 57014. Does nothing if none runs. Threads: any.</summary>
    public override void Cancel() => _running?.RequestCancel(this);

    /// <summary>Only checks that the command could run: each statement is prepared on its first use.</summary>
    /// <exception cref="InvalidOperationException">The command has no text or no open connection.</exception>
    public override void Prepare()
    {
        _ = Connected.OpenSession;
        CommandRun.RequireText(_text);
    }

    /// <inheritdoc cref="Prepare"/>
    public override Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        Prepare();
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override int ExecuteNonQuery()
    {
        if (!Parameters.HasOutput())
        {
            return CommandRun.NonQuery(Start(CommandBehavior.Default, isNonQuery: true, default));
        }

        using PgDbDataReader reader = ExecuteReader();
        reader.Close();
        return reader.RecordsAffected;
    }

    /// <inheritdoc/>
    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<int>(cancellationToken)
            : Parameters.HasOutput() ? FillOutputAsync(cancellationToken)
            : Parameters.HasStreams() ? ReadStreamsThenExecuteAsync(cancellationToken)
            : CommandRun.NonQueryAsync(Start(CommandBehavior.Default, isNonQuery: true, cancellationToken));

    /// <inheritdoc/>
    public override object? ExecuteScalar()
    {
        using DbDataReader reader = ExecuteDbDataReader(CommandBehavior.Default);
        return reader.FieldCount > 0 && reader.Read() ? reader.GetValue(0) : null;
    }

    /// <inheritdoc/>
    public override async Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
    {
        DbDataReader reader = await ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            return reader.FieldCount > 0 && await reader.ReadAsync(cancellationToken).ConfigureAwait(false) ? reader.GetValue(0) : null;
        }
    }

    /// <inheritdoc cref="DbCommand.ExecuteReader()"/>
    public new PgDbDataReader ExecuteReader() => (PgDbDataReader)ExecuteDbDataReader(CommandBehavior.Default);

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => new PgDbParameter();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        PgDbConnection connection = Connected;
        return CommandRun.Reader(connection, Start(behavior, isNonQuery: false, default), behavior, this, Parameters);
    }

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled<DbDataReader>(cancellationToken)
            : Parameters.HasStreams() ? ReadStreamsThenExecuteAsync(behavior, cancellationToken)
            : CommandRun.ReaderAsync(Connected, Start(behavior, isNonQuery: false, cancellationToken), behavior, this, Parameters);

    private async Task<int> FillOutputAsync(CancellationToken cancellationToken)
    {
        DbDataReader reader = await ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken).ConfigureAwait(false);
        await reader.CloseAsync().ConfigureAwait(false);
        return reader.RecordsAffected;
    }

    private async Task<int> ReadStreamsThenExecuteAsync(CancellationToken cancellationToken)
    {
        await Parameters.ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        return await CommandRun.NonQueryAsync(Start(CommandBehavior.Default, isNonQuery: true, cancellationToken)).ConfigureAwait(false);
    }

    private async Task<DbDataReader> ReadStreamsThenExecuteAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        await Parameters.ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        DataOperation operation = Start(behavior, isNonQuery: false, cancellationToken);
        return await CommandRun.ReaderAsync(Connected, operation, behavior, this, Parameters).ConfigureAwait(false);
    }

    private void ThrowIfReading()
    {
        if (_connection?.IsReading(this) == true)
        {
            throw new InvalidOperationException("A reader of this command is open. Dispose it first.");
        }
    }

    private DataOperation Start(CommandBehavior behavior, bool isNonQuery, CancellationToken cancellationToken)
    {
        PgDbConnection connection = Connected;
        DataOperation operation = connection.Rent();
        try
        {
            operation.IsNonQuery = isNonQuery;
            operation.IsSchemaOnly = (behavior & CommandBehavior.SchemaOnly) != 0;
            operation.IsSequential = (behavior & CommandBehavior.SequentialAccess) != 0 && !Parameters.HasOutput();
            CommandRun.Add(
                operation, connection, CommandRun.TextOf(_text, CommandType, Parameters), Parameters,
                (behavior & CommandBehavior.SingleRow) != 0 ? 1 : 0, null);
        }
        catch
        {
            PgDbConnection.Drop(operation);
            throw;
        }

        _running = operation;
        connection.Start(operation, this, Timeout, cancellationToken);
        return operation;
    }
}
