using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>A command of ADO.NET: one or more statements, with <c>@name</c>, <c>:name</c> or <c>$1</c> for its parameters.</summary>
/// <remarks>
/// <para>Several statements, separated by semicolons, are sent together with one Sync: outside a transaction they form one transaction.
/// Each statement is prepared automatically when it is used again, and stays prepared; <see cref="Prepare"/> is not needed.</para>
/// <para><c>in @ids</c> with a list becomes <c>= any($1)</c>, so that lists of any length share one statement.</para>
/// </remarks>
public sealed class PgDbCommand : DbCommand, ICloneable
{
    private string _text;
    private PgDbConnection? _connection;
    private int? _timeoutSeconds;
    private volatile DataRoundTrip? _running;
    private DbTransaction? _transaction;
    private UpdateRowSource _updatedRowSource = UpdateRowSource.Both;
    private bool _isPrepared;
    private bool _isDisposed;

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
            _isPrepared = false;
        }
    }

    /// <summary>Seconds that each wait for the server may take; 0 means no limit. Defaults to the data source's.</summary>
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
    public override UpdateRowSource UpdatedRowSource
    {
        get => _updatedRowSource;
        set => _updatedRowSource = Enum.IsDefined(value) ? value : throw new ArgumentOutOfRangeException(nameof(value), value, null);
    }

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

    /// <summary>
    /// Chooses nothing: a connection has at most one transaction, and every command is part of it. But a command with a transaction that is over
    /// does not run.
    /// </summary>
    protected override DbTransaction? DbTransaction
    {
        get => _transaction;
        set => _transaction = CommandRun.Usable(value);
    }

    private TimeSpan Timeout => _timeoutSeconds is { } seconds ? TimeSpan.FromSeconds(seconds) : Connected.DefaultCommandTimeout;

    private PgDbConnection Connected => _connection ?? throw new InvalidOperationException("The command has no connection.");

    /// <summary>
    /// Asks the server to cancel the running command, which fails with an <see cref="OperationCanceledException"/>. Does nothing if none runs.
    /// Threads: any.
    /// </summary>
    public override void Cancel() => _running?.RequestCancel(this);

    /// <summary>Has the server parse the statements now. It is not needed: each statement is prepared when it is used again.</summary>
    /// <exception cref="InvalidOperationException">The command has no text or no open connection.</exception>
    /// <exception cref="PgException">The server refuses a statement.</exception>
    public override void Prepare()
    {
        _isPrepared = true;
        ExecuteReader(CommandBehavior.SchemaOnly).Close();
    }

    /// <inheritdoc cref="Prepare"/>
    public override async Task PrepareAsync(CancellationToken cancellationToken = default)
    {
        _isPrepared = true;
        DbDataReader reader = await ExecuteReaderAsync(CommandBehavior.SchemaOnly, cancellationToken).ConfigureAwait(false);
        await reader.CloseAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override int ExecuteNonQuery()
    {
        if (!Parameters.HasOutput())
        {
            return CommandRun.NonQuery(Connected, Start(CommandBehavior.Default, isNonQuery: true, default));
        }

        using PgDbDataReader reader = ExecuteReader();
        reader.CloseWhole();
        return reader.RecordsAffected;
    }

    /// <inheritdoc/>
    public override Task<int> ExecuteNonQueryAsync(CancellationToken cancellationToken)
    {
        try
        {
            return cancellationToken.IsCancellationRequested ? Task.FromCanceled<int>(cancellationToken)
                : Parameters.HasOutput() ? FillOutputAsync(cancellationToken)
                : Parameters.HasStreams() ? ReadStreamsThenExecuteAsync(cancellationToken)
                : CommandRun.NonQueryAsync(Connected, Start(CommandBehavior.Default, isNonQuery: true, cancellationToken));
        }
        catch (Exception exception)
        {
            return Task.FromException<int>(exception);
        }
    }

    /// <inheritdoc/>
    public override object? ExecuteScalar() => CommandRun.Scalar(ExecuteReader());

    /// <inheritdoc/>
    public override Task<object?> ExecuteScalarAsync(CancellationToken cancellationToken)
        => CommandRun.ScalarAsync(ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken), cancellationToken);

    /// <summary>A command with the same text, connection, transaction and settings, and copies of the parameters. It is not prepared.</summary>
    public PgDbCommand Clone()
    {
        var copy = new PgDbCommand(_text, _connection)
        {
            _timeoutSeconds = _timeoutSeconds,
            _transaction = _transaction,
            _updatedRowSource = _updatedRowSource,
            CommandType = CommandType,
            DesignTimeVisible = DesignTimeVisible,
        };
        foreach (PgDbParameter parameter in Parameters)
        {
            copy.Parameters.Add(parameter.Clone());
        }

        return copy;
    }

    object ICloneable.Clone() => Clone();

    /// <inheritdoc cref="DbCommand.ExecuteReader()"/>
    public new PgDbDataReader ExecuteReader() => (PgDbDataReader)ExecuteDbDataReader(CommandBehavior.Default);

    /// <inheritdoc/>
    protected override DbParameter CreateDbParameter() => new PgDbParameter();

    /// <inheritdoc/>
    protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
    {
        DataRoundTrip roundTrip = Start(behavior, isNonQuery: false, default);
        return CommandRun.Reader(Connected, roundTrip, behavior);
    }

    /// <inheritdoc/>
    protected override Task<DbDataReader> ExecuteDbDataReaderAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        try
        {
            return cancellationToken.IsCancellationRequested ? Task.FromCanceled<DbDataReader>(cancellationToken)
                : Parameters.HasStreams() && (behavior & CommandBehavior.SchemaOnly) == 0 ? ReadStreamsThenExecuteAsync(behavior, cancellationToken)
                : CommandRun.ReaderAsync(Connected, Start(behavior, isNonQuery: false, cancellationToken), behavior);
        }
        catch (Exception exception)
        {
            return Task.FromException<DbDataReader>(exception);
        }
    }

    private async Task<int> FillOutputAsync(CancellationToken cancellationToken)
    {
        var reader = (PgDbDataReader)await ExecuteDbDataReaderAsync(CommandBehavior.Default, cancellationToken).ConfigureAwait(false);
        await reader.CloseWholeAsync().ConfigureAwait(false);
        return reader.RecordsAffected;
    }

    private async Task<int> ReadStreamsThenExecuteAsync(CancellationToken cancellationToken)
    {
        await Parameters.ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        return await CommandRun.NonQueryAsync(Connected, Start(CommandBehavior.Default, isNonQuery: true, cancellationToken)).ConfigureAwait(false);
    }

    private async Task<DbDataReader> ReadStreamsThenExecuteAsync(CommandBehavior behavior, CancellationToken cancellationToken)
    {
        await Parameters.ReadStreamsAsync(cancellationToken).ConfigureAwait(false);
        DataRoundTrip roundTrip = Start(behavior, isNonQuery: false, cancellationToken);
        return await CommandRun.ReaderAsync(Connected, roundTrip, behavior).ConfigureAwait(false);
    }

    private void ThrowIfReading()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (ReferenceEquals(_connection?.Reader?.Owner, this))
        {
            throw new InvalidOperationException("A reader of this command is open. Dispose it first.");
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _isDisposed |= disposing;
        base.Dispose(disposing);
    }

    private DataRoundTrip Start(CommandBehavior behavior, bool isNonQuery, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        DataRoundTrip? roundTrip = null;
        try
        {
            PgDbConnection connection = Connected;
            CommandRun.RequireRunning(DbTransaction, connection);
            roundTrip = connection.Rent();
            roundTrip.IsNonQuery = isNonQuery;
            roundTrip.IsSchemaOnly = (behavior & CommandBehavior.SchemaOnly) != 0;
            roundTrip.IsSequential = (behavior & CommandBehavior.SequentialAccess) != 0 && !Parameters.HasOutput();
            CommandRun.Add(roundTrip, connection, CommandRun.TextOf(_text, CommandType, Parameters), Parameters, null);
            if (_isPrepared)
            {
                roundTrip.ExpectRepetition();
            }

        }
        catch
        {
            if (roundTrip is not null)
            {
                roundTrip.Drop();
            }

            if ((behavior & CommandBehavior.CloseConnection) != 0)
            {
                // Its reader would have closed it.
                _connection?.Close();
            }

            throw;
        }

        _running = roundTrip;
        Connected.Start(roundTrip, this, Timeout, cancellationToken);
        return roundTrip;
    }
}
