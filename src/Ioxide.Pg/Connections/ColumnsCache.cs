using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>What statements return, for all connections of a data source: who prepares one anew knows its columns already.</summary>
/// <remarks>
/// It keeps no statement: what a statement returns is kept as long as something else holds the statement. A stale entry does no harm: the
/// server's description is compared with each Parse. Threads: any.
/// </remarks>
internal sealed class ColumnsCache
{
    private readonly ConditionalWeakTable<PgStatement, ResultColumns> _byStatement = [];

    // The table has a lock of its own, a wait for which would turn the ring in the middle of what a reactor does: it is never waited for.
    private RuntimeLock _lock;
    private int _epoch;

    internal ResultColumns? Find(PgStatement statement) => _byStatement.TryGetValue(statement, out ResultColumns? columns) ? columns : null;

    /// <summary>Grows when columns of results may have changed. What was prepared before is prepared anew in front of its next use.</summary>
    internal int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Tables were altered: every connection prepares its statements anew, before one of them fails in a transaction.</summary>
    internal void SchemaChanged() => Interlocked.Increment(ref _epoch);

    internal void Set(PgStatement statement, ResultColumns columns) => Store(statement, columns);

    internal void Forget(PgStatement statement) => Store(statement, null);

    private void Store(PgStatement statement, ResultColumns? columns)
    {
        _lock.Enter();
        try
        {
            if (columns is null)
            {
                _byStatement.Remove(statement);
            }
            else
            {
                _byStatement.AddOrUpdate(statement, columns);
            }
        }
        finally
        {
            _lock.Exit();
        }
    }
}
