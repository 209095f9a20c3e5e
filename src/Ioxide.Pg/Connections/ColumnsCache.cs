using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>What statements return, for all connections of a data source: who prepares one anew knows its columns already.</summary>
/// <remarks>
/// It keeps no statement: what a statement returns is kept as long as something else holds the statement. A stale entry does no harm: the
/// server's description is compared with each Parse. Threads: any.
/// </remarks>
internal sealed class ColumnsCache
{
    private readonly ConditionalWeakTable<PgStatement, Entry> _byStatement = [];

    // The table has a lock of its own, a wait for which would turn the ring in the middle of what a reactor does: it is never waited for.
    private RuntimeLock _lock;
    private int _epoch;

    private sealed record Entry(ResultColumns Columns, int Epoch);

    /// <summary>What the statement returned when it was last described.</summary>
    internal ResultColumns? Find(PgStatement statement) => _byStatement.TryGetValue(statement, out Entry? entry) ? entry.Columns : null;

    /// <summary>The same, unless tables were altered since then.</summary>
    internal ResultColumns? FindCurrent(PgStatement statement)
        => _byStatement.TryGetValue(statement, out Entry? entry) && entry.Epoch == Epoch ? entry.Columns : null;

    /// <summary>Grows when columns of results may have changed. What was prepared before is prepared anew in front of its next use.</summary>
    internal int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Tables were altered: every connection prepares its statements anew, before one of them fails in a transaction.</summary>
    internal void SchemaChanged() => Interlocked.Increment(ref _epoch);

    /// <param name="statement">What was described.</param>
    /// <param name="columns">What it returns.</param>
    /// <param name="epoch">The <see cref="Epoch"/> when it was sent.</param>
    internal void Set(PgStatement statement, ResultColumns columns, int epoch)
    {
        if (!_byStatement.TryGetValue(statement, out Entry? entry) || entry.Epoch != epoch || !ReferenceEquals(entry.Columns, columns))
        {
            Store(statement, new Entry(columns, epoch));
        }
    }

    internal void Forget(PgStatement statement) => Store(statement, null);

    private void Store(PgStatement statement, Entry? entry)
    {
        _lock.Enter();
        try
        {
            if (entry is null)
            {
                _byStatement.Remove(statement);
            }
            else
            {
                _byStatement.AddOrUpdate(statement, entry);
            }
        }
        finally
        {
            _lock.Exit();
        }
    }
}
