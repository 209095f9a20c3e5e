using System.Data;
using System.Transactions;
using IsolationLevel = System.Transactions.IsolationLevel;

namespace Ioxide.Pg.Data;

/// <summary>A session's part in an ambient transaction (<see cref="TransactionScope"/>).</summary>
/// <remarks>
/// <para>It holds the session until the outcome is known, even after its connection was closed. A connection to the same data source that
/// opens in the same transaction meanwhile takes over the session.</para>
/// <para>A single session commits in one phase. Several vote by PREPARE TRANSACTION, which needs <c>max_prepared_transactions</c> on the
/// server; what is prepared is ended by another session where its own is lost. A session that ran no command votes without asking the
/// server.</para>
/// <para>Threads: the outcome arrives on the thread that ends the scope, or on a timer's when the transaction times out.</para>
/// </remarks>
internal sealed class AmbientTransaction : ISinglePhaseNotification
{
    private readonly Lock _lock = new();
    private readonly PgDbDataSource _source;
    private readonly PgSession _session;
    private PgDbConnection? _connection;
    private string? _preparedName;
    private bool _isRollingBack;
    private bool _isOver;

    /// <exception cref="NotSupportedException">PostgreSQL does not have the isolation level.</exception>
    internal AmbientTransaction(PgDbDataSource source, PgSession session, PgDbConnection connection, Transaction transaction)
    {
        _source = source;
        _session = session;
        _connection = connection;
        Transaction = transaction;
        Begin = new TransactionBegin(PgDbTransaction.StatementOf(LevelOf(transaction.IsolationLevel)));
    }

    internal Transaction Transaction { get; }

    internal TransactionBegin Begin { get; }

    /// <summary>In a scope whose transaction was rolled back, a command would be committed at once.</summary>
    /// <exception cref="TransactionAbortedException">The caller is in the scope of that transaction.</exception>
    internal static void ThrowIfCurrent(Transaction aborted)
    {
        if (Transaction.Current is { } current && current.Equals(aborted))
        {
            throw Aborted();
        }
    }

    private static TransactionAbortedException Aborted()
        => new("The ambient transaction of the connection was rolled back, by a timeout or another participant. Leave the scope.");

    /// <summary>
    /// Submits a command of the transaction. Behind the ROLLBACK of a timeout, which another thread sends, it would be committed at once.
    /// </summary>
    /// <exception cref="TransactionAbortedException">The rollback has begun, or the transaction is over.</exception>
    internal void Submit(DataRoundTrip roundTrip, TimeSpan timeout, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (!_isRollingBack && !_isOver)
            {
                roundTrip.Send(_session.Target, timeout, cancellationToken);
                return;
            }
        }

        roundTrip.Drop();
        throw Aborted();
    }

    /// <summary>Joins the transaction. Its outcome may come at once.</summary>
    /// <exception cref="TransactionException">The transaction is over.</exception>
    internal void Join() => Transaction.EnlistVolatile(this, EnlistmentOptions.None);

    /// <summary>The connection is closed; the session stays here until the outcome.</summary>
    /// <returns>False: the transaction is over, and the connection has to return the session.</returns>
    internal bool TryPark()
    {
        lock (_lock)
        {
            if (_isOver)
            {
                return false;
            }

            // Inside the lock: the end of the transaction takes it back.
            _connection = null;
            _source.Park(this);
            return true;
        }
    }

    /// <summary>A connection opens in the same transaction and takes over the session.</summary>
    internal bool TryTakeOver(PgDbConnection connection, out PgSession session)
    {
        lock (_lock)
        {
            session = _session;
            if (_isOver || _isRollingBack)
            {
                return false;
            }

            connection.TakePart(this);
            _connection = connection;
            return true;
        }
    }

    public void SinglePhaseCommit(SinglePhaseEnlistment singlePhaseEnlistment)
    {
        try
        {
            if (!Begin.IsOwed)
            {
                Commit();
            }

            End(isCommitted: true);
            singlePhaseEnlistment.Committed();
        }
        catch (Exception exception) when (exception is PgException or InvalidOperationException)
        {
            // The server refused and has rolled back, or was not asked.
            BreakIfInUse();
            End(isCommitted: false);
            singlePhaseEnlistment.Aborted(exception);
        }
        catch (Exception exception)
        {
            // The answer to COMMIT is lost with the connection.
            End(isCommitted: false);
            singlePhaseEnlistment.InDoubt(exception);
        }
    }

    public void Prepare(PreparingEnlistment preparingEnlistment)
    {
        if (Begin.IsOwed)
        {
            End(isCommitted: true);
            preparingEnlistment.Done();
            return;
        }

        string? name = null;
        try
        {
            ThrowIfInUse();
            name = $"ioxide_{Guid.NewGuid():N}";
            if (Run($"PREPARE TRANSACTION '{name}'").Tag.Command == "ROLLBACK")
            {
                throw new InvalidOperationException("A command of the transaction had failed. Everything was rolled back.");
            }

            _preparedName = name;
            preparingEnlistment.Prepared();
        }
        catch (Exception exception)
        {
            BreakIfInUse();
            if (name is not null && exception is not (PgException or InvalidOperationException))
            {
                // No answer came: it may be prepared.
                EndPrepared("ROLLBACK", name);
            }

            End(isCommitted: false);
            preparingEnlistment.ForceRollback(Explained(exception));
        }
    }

    public void Commit(Enlistment enlistment)
    {
        EndPrepared("COMMIT", _preparedName!); // It voted.
        End(isCommitted: true);
        enlistment.Done();
    }

    public void Rollback(Enlistment enlistment)
    {
        bool isBegun;
        lock (_lock)
        {
            _isRollingBack = true;
            isBegun = !Begin.IsOwed;
        }

        try
        {
            if (_preparedName is { } name)
            {
                EndPrepared("ROLLBACK", name);
            }
            else if (isBegun)
            {
                RollBack();
            }
        }
        catch (Exception exception) when (exception is PgException or PgConnectionException or PgTimeoutException or InvalidOperationException)
        {
            // A lost session has rolled back; any other is rolled back before its next user.
            _session.MarkDirty();
        }

        End(isCommitted: false);
        enlistment.Done();
    }

    /// <summary>Ends the transaction as not committed: without a decision the server rolls back.</summary>
    public void InDoubt(Enlistment enlistment)
    {
        End(isCommitted: false);
        enlistment.Done();
    }

    private static System.Data.IsolationLevel LevelOf(IsolationLevel level) => level switch
    {
        IsolationLevel.Serializable => System.Data.IsolationLevel.Serializable,
        IsolationLevel.RepeatableRead => System.Data.IsolationLevel.RepeatableRead,
        IsolationLevel.Snapshot => System.Data.IsolationLevel.Snapshot,
        IsolationLevel.ReadCommitted => System.Data.IsolationLevel.ReadCommitted,
        IsolationLevel.ReadUncommitted => System.Data.IsolationLevel.ReadUncommitted,
        IsolationLevel.Unspecified => System.Data.IsolationLevel.Unspecified,
        _ => throw new NotSupportedException($"PostgreSQL has no isolation level {level}. Set another in the TransactionOptions of the scope."),
    };

    private static Exception Explained(Exception exception)
        => exception is PgException { SqlState: PgSqlState.ObjectNotInPrerequisiteState } refusal
            ? new NotSupportedException(
                "Two connections take part in one transaction, and the server has no prepared transactions (max_prepared_transactions is 0). "
                    + "Use one connection at a time in the scope, or raise the setting on the server.",
                refusal)
            : exception;

    private void Commit()
    {
        ThrowIfInUse();
        if (!_session.IsOpen)
        {
            throw new InvalidOperationException("The connection was lost before the commit. The server has rolled everything back.");
        }

        if (Run("COMMIT").Tag.Command == "ROLLBACK")
        {
            throw new InvalidOperationException("A command of the transaction had failed. The commit rolled everything back.");
        }
    }

    /// <summary>An open reader still uses the connection: its rows come before any answer.</summary>
    private void ThrowIfInUse()
    {
        if (_connection?.Reader is not null)
        {
            throw new InvalidOperationException("A reader of the connection is open. Dispose it before the scope ends.");
        }
    }

    /// <summary>Breaks the session, because its reader may be on another thread: the reader fails, and the server rolls back.</summary>
    private bool BreakIfInUse()
    {
        if (_connection?.Reader is null)
        {
            return false;
        }

        _session.Connection.Pool.Reactor.TryEnqueue(
            _session.Connection,
            static connection => connection.Break(new PgConnectionException(
                "The ambient transaction ended while a reader was open; it is rolled back. Dispose readers before the scope.")));
        return true;
    }

    private void RollBack()
    {
        if (BreakIfInUse())
        {
            return;
        }

        // Queued after a command that runs on another thread when the transaction times out.
        BlockingWait.For(_session, _session, static async session =>
        {
            await session.CancelAsync().ConfigureAwait(true);
            return await session.RunScriptAsync("ROLLBACK").ConfigureAwait(true);
        });
    }

    private PgScriptResult Run(string sql) => Run(_session, sql);

    private static PgScriptResult Run(PgSession session, string sql)
        => BlockingWait.For(session, (session, sql), static state => state.session.RunScriptAsync(state.sql));

    /// <summary>Ends the prepared transaction; where the session is lost, by another one of the data source.</summary>
    /// <remarks>Where that fails, too, it stays durably prepared: only an administrator or a transaction manager can end it then.</remarks>
    private void EndPrepared(string verb, string name)
    {
        string sql = $"{verb} PREPARED '{name}'";
        try
        {
            try
            {
                _ = Run(sql);
            }
            catch (Exception) when (!_session.IsOpen)
            {
                RunElsewhere(sql);
            }
        }
        catch (PgException exception) when (exception.SqlState == PgSqlState.UndefinedObject && _preparedName is null)
        {
            // It was not prepared.
        }
        catch (Exception exception)
        {
            _source.Source.Log.PreparedLeft(name, exception);
        }
    }

    private void RunElsewhere(string sql)
    {
        PgSession other = BlockingWait.For(_source.Source, static source => source.OpenSessionAsync());
        try
        {
            _ = Run(other, sql);
        }
        catch (PgException exception) when (exception.SqlState == PgSqlState.UndefinedObject)
        {
            // The lost session ended it, and only its answer is missing; or it did not prepare it.
        }
        finally
        {
            _ = other.DisposeAsync().AsTask();
        }
    }

    private void End(bool isCommitted)
    {
        PgDbConnection? connection;
        lock (_lock)
        {
            if (_isOver)
            {
                return;
            }

            _isOver = true;
            connection = _connection;
        }

        if (connection is not null)
        {
            connection.AmbientEnded(this, isCommitted);
            return;
        }

        _source.Unpark(this);
        _ = _session.DisposeAsync().AsTask();
    }
}
