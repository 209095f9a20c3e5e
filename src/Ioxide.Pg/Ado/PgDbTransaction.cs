using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>A transaction of a connection. Disposing it without a commit rolls it back.</summary>
/// <remarks>BEGIN is sent together with the first command. Without a command nothing is sent.</remarks>
public sealed class PgDbTransaction : DbTransaction
{
    private static readonly PgStatement s_begin = PgStatement.Create("begin"u8);
    private static readonly PgStatement s_readCommitted = PgStatement.Create("begin isolation level read committed"u8);
    private static readonly PgStatement s_readUncommitted = PgStatement.Create("begin isolation level read uncommitted"u8);
    private static readonly PgStatement s_repeatableRead = PgStatement.Create("begin isolation level repeatable read"u8);
    private static readonly PgStatement s_serializable = PgStatement.Create("begin isolation level serializable"u8);
    private static readonly PgStatement s_commit = PgStatement.Create("commit"u8);
    private static readonly PgStatement s_rollback = PgStatement.Create("rollback"u8);

    private readonly PgDbConnection _connection;
    private readonly PgSession _session;
    private readonly IsolationLevel _isolationLevel;
    private readonly TransactionBegin _begin;
    private bool _isOver;
    private bool _isAbandoned;
    private bool _isDisposed;

    private PgDbTransaction(PgDbConnection connection, IsolationLevel isolationLevel, TransactionBegin begin)
    {
        _connection = connection;
        _session = connection.OpenSession;
        _isolationLevel = isolationLevel;
        _begin = begin;
    }

    /// <summary>The isolation level of the transaction.</summary>
    /// <exception cref="InvalidOperationException">The transaction is over.</exception>
    public override IsolationLevel IsolationLevel
    {
        get
        {
            ThrowIfOver();
            return _isolationLevel;
        }
    }

    /// <inheritdoc/>
    public override bool SupportsSavepoints => true;

    /// <summary>It was ended: by its own methods, with its connection, or by COMMIT or ROLLBACK as text.</summary>
    internal bool IsOver
    {
        get
        {
            // In this order: the server began it, has answered what came behind that, and reported no transaction with the last answer.
            if (!_isOver && _begin.IsBegun && _connection.SessionOrNull is { IsOpen: true } session
                && session.Connection.Pipeline.Pending == 0 && !session.IsInTransaction)
            {
                Ended();
            }

            return _isOver;
        }
    }

    /// <summary>Its connection, even after it has ended; null if the connection was closed before.</summary>
    /// <exception cref="ObjectDisposedException">The transaction was disposed.</exception>
    protected override DbConnection? DbConnection
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return _isAbandoned ? null : _connection;
        }
    }

    internal static PgDbTransaction Begin(PgDbConnection connection, IsolationLevel isolationLevel)
    {
        var begin = new TransactionBegin(StatementOf(isolationLevel));
        connection.ThrowIfDisposed();
        connection.ThrowIfEnlisted();
        connection.ThrowIfReading();
        if (connection.OpenSession.IsInTransaction || connection.Transaction is { IsOver: false })
        {
            throw new InvalidOperationException("A transaction is open already. Save makes a point in it to which it can be rolled back.");
        }

        var transaction = new PgDbTransaction(
            connection, isolationLevel == IsolationLevel.Unspecified ? IsolationLevel.ReadCommitted : isolationLevel, begin);
        connection.Transaction = transaction;
        connection.Begin = begin;
        return transaction;
    }

    /// <summary>The BEGIN statement of an isolation level.</summary>
    /// <exception cref="NotSupportedException">PostgreSQL has no such level.</exception>
    internal static PgStatement StatementOf(IsolationLevel isolationLevel) => isolationLevel switch
    {
        IsolationLevel.Unspecified => s_begin,
        IsolationLevel.ReadCommitted => s_readCommitted,
        IsolationLevel.ReadUncommitted => s_readUncommitted,
        IsolationLevel.RepeatableRead or IsolationLevel.Snapshot => s_repeatableRead,
        IsolationLevel.Serializable => s_serializable,
        _ => throw new NotSupportedException($"PostgreSQL has no isolation level {isolationLevel}."),
    };

    /// <summary>Commits the transaction.</summary>
    /// <exception cref="InvalidOperationException">A command of the transaction had failed: everything was rolled back.</exception>
    /// <exception cref="PgTimeoutException">
    /// The server has not answered in time. The transaction is over, and whether it was committed is not known.
    /// </exception>
    public override void Commit()
    {
        if (TryStartEnd(s_commit, default, out DataRoundTrip? roundTrip))
        {
            CommandRun.NonQuery(_connection, CheckedCommit(roundTrip));
        }
    }

    /// <inheritdoc cref="Commit"/>
    /// <exception cref="OperationCanceledException">
    /// The token was cancelled. Before the commit was sent, the transaction continues. Otherwise it is over, and whether it was committed is not
    /// known.
    /// </exception>
    public override Task CommitAsync(CancellationToken cancellationToken = default)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken)
            : TryStartEnd(s_commit, cancellationToken, out DataRoundTrip? roundTrip) ? CommandRun.NonQueryAsync(_connection, CheckedCommit(roundTrip))
            : Task.CompletedTask;

    /// <inheritdoc/>
    public override void Rollback()
    {
        if (TryStartEnd(s_rollback, default, out DataRoundTrip? roundTrip))
        {
            CommandRun.NonQuery(_connection, roundTrip);
        }
    }

    /// <inheritdoc/>
    public override Task RollbackAsync(CancellationToken cancellationToken = default)
        => cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken)
            : TryStartEnd(s_rollback, cancellationToken, out DataRoundTrip? roundTrip) ? CommandRun.NonQueryAsync(_connection, roundTrip)
            : Task.CompletedTask;

    /// <inheritdoc/>
    public override void Save(string savepointName) => Run($"savepoint {Quote(savepointName)}");

    /// <inheritdoc/>
    public override Task SaveAsync(string savepointName, CancellationToken cancellationToken = default)
        => RunAsync($"savepoint {Quote(savepointName)}", cancellationToken);

    /// <inheritdoc/>
    public override void Rollback(string savepointName) => Run($"rollback to savepoint {Quote(savepointName)}");

    /// <inheritdoc/>
    public override Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default)
        => RunAsync($"rollback to savepoint {Quote(savepointName)}", cancellationToken);

    /// <inheritdoc/>
    public override void Release(string savepointName) => Run($"release savepoint {Quote(savepointName)}");

    /// <inheritdoc/>
    public override Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default)
        => RunAsync($"release savepoint {Quote(savepointName)}", cancellationToken);

    /// <summary>
    /// Rolls back a transaction that was not committed, after closing an open reader. A connection that is lost has rolled it back.
    /// </summary>
    public override async ValueTask DisposeAsync()
    {
        if (IsLeftOpen())
        {
            try
            {
                await _connection.CloseReaderAsync().ConfigureAwait(false);
                if (!IsOver)
                {
                    await RollbackAsync().ConfigureAwait(false);
                }
            }
            catch (DbException) when (_connection.State != ConnectionState.Open)
            {
                // Whoever disposes it is perhaps on the way out with the exception that says so.
            }
        }

        _isDisposed = true;
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && IsLeftOpen())
        {
            try
            {
                _connection.CloseReader();
                if (!IsOver)
                {
                    Rollback();
                }
            }
            catch (DbException) when (_connection.State != ConnectionState.Open)
            {
                // As above.
            }
        }

        _isDisposed = true;

        base.Dispose(disposing);
    }

    /// <summary>The connection was closed; returning its session rolls the transaction back.</summary>
    internal void Abandoned() => _isOver = _isAbandoned = true;

    /// <summary>Its end was withdrawn or refused before it was sent, or the server has refused it and is still in the transaction.</summary>
    internal void Continue()
    {
        if (_session.IsOpen && ReferenceEquals(_connection.SessionOrNull, _session))
        {
            _isOver = false;
            _connection.Transaction = this;
            _connection.Begin = _begin;
        }
    }

    private static DataRoundTrip CheckedCommit(DataRoundTrip roundTrip)
    {
        roundTrip.IsCommit = true;
        return roundTrip;
    }

    private static string Quote(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return SqlName.Quote(name);
    }

    private bool IsLeftOpen()
    {
        if (IsOver)
        {
            return false;
        }

        if (_connection.State == ConnectionState.Open)
        {
            return true;
        }

        _isOver = true;
        _connection.Transaction = null;
        return false;
    }

    private bool TryStartEnd(
        PgStatement statement, CancellationToken cancellationToken, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out DataRoundTrip? roundTrip)
    {
        ThrowIfOver();
        roundTrip = null;
        if (_begin.IsOwed)
        {
            // It was not sent, and is no longer needed.
            Ended();
            return false;
        }

        roundTrip = _connection.Rent();
        Ended();

        // A transaction that the server has not begun after all is over with it.
        roundTrip.Begin = null;
        roundTrip.IsNonQuery = true;
        roundTrip.Ends = this;
        roundTrip.Add(statement);
        _connection.Start(roundTrip, this, _connection.DefaultCommandTimeout, cancellationToken);
        return true;
    }

    private void Ended()
    {
        _isOver = true;
        _connection.Transaction = null;
        _connection.Begin = null;
    }

    private void Run(string sql)
    {
        ThrowIfOver();
        using var command = new PgDbCommand(sql, _connection);
        command.ExecuteNonQuery();
    }

    private async Task RunAsync(string sql, CancellationToken cancellationToken)
    {
        ThrowIfOver();
        using var command = new PgDbCommand(sql, _connection);
        await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
    }

    private void ThrowIfOver()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (IsOver)
        {
            throw new InvalidOperationException("The transaction is over.");
        }
    }
}
