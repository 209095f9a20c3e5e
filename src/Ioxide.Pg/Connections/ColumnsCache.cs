using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>The result columns of statements, shared by the connections of a data source: a connection that prepares one knows them.</summary>
/// <remarks>
/// It keeps no statement alive: an entry lasts as long as something else holds its statement. A stale entry does no harm: the
/// server's description is compared with each Parse. Threads: any.
/// </remarks>
internal sealed class ColumnsCache
{
    private readonly ConditionalWeakTable<PgStatement, Entry> _byStatement = [];

    // The table has a lock of its own. Waiting for that lock would turn the ring in the middle of the reactor's work, so this lock excludes it.
    private RuntimeLock _lock;
    private int _epoch;

    private sealed record Entry(ResultColumns Columns, int Epoch);

    /// <summary>The columns of the statement's last description, or null.</summary>
    internal ResultColumns? Find(PgStatement statement) => _byStatement.TryGetValue(statement, out Entry? entry) ? entry.Columns : null;

    /// <summary>The same, unless tables were altered since then.</summary>
    internal ResultColumns? FindCurrent(PgStatement statement)
        => _byStatement.TryGetValue(statement, out Entry? entry) && entry.Epoch == Epoch ? entry.Columns : null;

    /// <summary>Increases when result columns may have changed. A statement that was prepared before is prepared again before its next use.</summary>
    internal int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Tables were altered. Every connection prepares its statements again, before one of them fails in a transaction.</summary>
    internal void SchemaChanged() => Interlocked.Increment(ref _epoch);

    /// <param name="statement">The described statement.</param>
    /// <param name="columns">Its result columns.</param>
    /// <param name="epoch">The <see cref="Epoch"/> when the Describe was sent.</param>
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
        using HeldLock held = _lock.Hold();
        if (entry is null)
        {
            _byStatement.Remove(statement);
        }
        else
        {
            _byStatement.AddOrUpdate(statement, entry);
        }
    }
}
