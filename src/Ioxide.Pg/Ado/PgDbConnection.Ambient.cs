namespace Ioxide.Pg.Data;

/// <summary>Ambient transactions: the connection joins the one in which it is opened.</summary>
public partial class PgDbConnection
{
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

    /// <summary>Its commands are the transaction's. Called before the outcome can come.</summary>
    internal void TakePart(AmbientTransaction ambient) => (_aborted, Begin, _ambient) = (null, ambient.Begin, ambient);

    /// <summary>The outcome is known. The connection stays open, and again commits each command separately.</summary>
    internal void AmbientEnded(AmbientTransaction ambient, bool isCommitted)
    {
        if (ReferenceEquals(_ambient, ambient))
        {
            Begin = null;
            _aborted = isCommitted ? null : ambient.Transaction;
            _ambient = null;
        }
    }

    /// <summary>Takes over the session that an earlier connection left in the transaction.</summary>
    private bool TryReopen(PgDbDataSource source, System.Transactions.Transaction? joining)
    {
        if (joining is null || source.TakeParked(joining) is not { } parked || !parked.TryTakeOver(this, out PgSession session))
        {
            return false;
        }

        Opened(source, session, joining: null);
        return true;
    }

    private void Enlist(PgSession session, System.Transactions.Transaction transaction)
    {
        var ambient = new AmbientTransaction(Source, session, this, transaction);
        TakePart(ambient);
        try
        {
            ambient.Join();
        }
        catch
        {
            _ambient = null;
            Begin = null;
            throw;
        }
    }
}
