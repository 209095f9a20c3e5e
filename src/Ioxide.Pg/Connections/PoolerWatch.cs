namespace Ioxide.Pg;

/// <summary>Whether a data source speaks to a pooler that serves each transaction by another session of the server.</summary>
/// <remarks>
/// Such a pooler brings a statement's Bind to a session that never parsed it. Names of statements are unique, so that the session says so
/// (26000) and runs nothing. The first such answer is the sign. Threads: any.
/// </remarks>
internal sealed class PoolerWatch(PgDataSourceOptions options, PgLog log)
{
    private volatile bool _isTransactional = options.Pooler == PgPooler.Transaction;
    private int _isTold;

    /// <summary>Nothing is prepared under a name, because the next transaction may be another session's.</summary>
    internal bool IsTransactional => _isTransactional;

    /// <summary>A server connection lacks a statement that it was seen to parse, and nothing that it ran here says why.</summary>
    /// <param name="connection">Which.</param>
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
