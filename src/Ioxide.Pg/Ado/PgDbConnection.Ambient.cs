namespace Ioxide.Pg.Data;

/// <summary>Ambient transactions: the connection joins the one in which it is opened.</summary>
public partial class PgDbConnection
{
    // The transaction of the running open, which may continue where the scope is not visible.
    private System.Transactions.Transaction? _joining;
    private volatile AmbientTransaction? _ambient;
    private volatile System.Transactions.Transaction? _aborted;

    /// <summary>Joins a transaction, as opening inside a <see cref="System.Transactions.TransactionScope"/> does.</summary>
    /// <remarks>
    /// A single connection commits in one phase. Two connections that are open at the same time vote by PREPARE TRANSACTION, which
    /// needs <c>max_prepared_transactions</c> on the server; without it the transaction is aborted.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The connection is closed, in another transaction, or cannot leave its transaction.</exception>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction)
    {
        PgSession session = OpenSession;
        if (_ambient is { } ambient && ambient.Transaction.Equals(transaction))
        {
            return;
        }

        ThrowIfEnlisted();
        if (transaction is null)
        {
            return;
        }

        if (Transaction is not null || session.IsInTransaction)
        {
            throw new InvalidOperationException("A transaction of the connection is open. Commit it or roll it back first.");
        }

        Enlist(session, transaction);
    }

    /// <exception cref="InvalidOperationException">The connection takes part in an ambient transaction.</exception>
    internal void ThrowIfEnlisted()
    {
        if (_ambient is not null)
        {
            throw new InvalidOperationException(
                "The connection takes part in an ambient transaction. End that first, or open the connection with Enlist=false.");
        }
    }

    /// <summary>The outcome is known. The connection stays open, and again commits each command separately.</summary>
    internal void AmbientEnded(AmbientTransaction ambient, bool isCommitted)
    {
        if (ReferenceEquals(_ambient, ambient))
        {
            _pendingBegin = null;
            _aborted = isCommitted ? null : ambient.Transaction;
            _ambient = null;
        }
    }

    /// <summary>Takes over the session that an earlier connection left in the transaction.</summary>
    private bool TryReopen(PgDbDataSource source)
    {
        if (_joining is not { } transaction || source.TakeParked(transaction) is not { } parked || !parked.TryTakeOver(this, out PgSession session))
        {
            return false;
        }

        _joining = null;
        _source = source;
        _session = session;
        _wasOpened = true;
        _ambient = parked;
        _pendingBegin = parked.OwesBegin ? parked.Begin : null;
        OnStateChange(s_opened);
        return true;
    }

    private void Join()
    {
        if (Interlocked.Exchange(ref _joining, null) is not { } transaction)
        {
            return;
        }

        try
        {
            Enlist(OpenSession, transaction);
        }
        catch
        {
            _ = Leave().DisposeAsync().AsTask();
            throw;
        }
    }

    private void Enlist(PgSession session, System.Transactions.Transaction transaction)
    {
        var ambient = new AmbientTransaction(Source, session, this, transaction);
        _ambient = ambient;
        _aborted = null;
        _pendingBegin = ambient.Begin;
        try
        {
            ambient.Join();
        }
        catch
        {
            _ambient = null;
            _pendingBegin = null;
            throw;
        }
    }

    /// <summary>In a scope whose transaction has timed out, a command would be committed at once.</summary>
    private void ThrowIfAborted()
    {
        if (System.Transactions.Transaction.Current is { } current && current.Equals(_aborted))
        {
            throw new System.Transactions.TransactionAbortedException(
                "The ambient transaction of the connection was rolled back, by a timeout or another participant. Leave the scope.");
        }

        _aborted = null;
    }
}
