namespace Ioxide.Pg;

/// <summary>Detects a pooler that runs each transaction in another session of the server.</summary>
/// <remarks>
/// Such a pooler brings a statement's Bind to a session that never parsed it. Names of statements are unique, so the session answers
/// with 26000 and runs nothing. The first such answer reveals the pooler. Threads: any.
/// </remarks>
internal sealed class PoolerWatch(PgDataSourceOptions options, PgLog log)
{
    private volatile bool _isTransactional = options.Pooler == PgPooler.Transaction;
    private int _isTold;

    /// <summary>Nothing is prepared under a name, because the next transaction may be another session's.</summary>
    internal bool IsTransactional => _isTransactional;

    /// <summary>A server connection lacks a statement that it was seen to parse, and no command of this connection explains that.</summary>
    /// <param name="connection">The connection.</param>
    internal void LostStatement(ServerConnection connection)
    {
        bool isPooled = connection.IsPooled && options.Pooler == PgPooler.None;
        if (isPooled)
        {
            _isTransactional = true;
        }

        if (Interlocked.Exchange(ref _isTold, 1) == 0)
        {
            if (isPooled)
            {
                log.PoolerNoticed(connection.Endpoint);
            }
            else
            {
                log.StatementLost(connection.Endpoint);
            }
        }
    }
}
