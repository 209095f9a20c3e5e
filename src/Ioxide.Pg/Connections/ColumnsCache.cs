namespace Ioxide.Pg;

/// <summary>What statements return, for all connections of a data source: who prepares one anew knows its columns already.</summary>
/// <remarks>Threads: any. A stale entry does no harm: the server's description is compared with each Parse.</remarks>
internal sealed class ColumnsCache
{
    private RuntimeLock _lock;
    private volatile Entry?[] _bySlot = [];
    private int _epoch;

    private sealed record Entry(PgStatement Statement, ResultColumns Columns);

    /// <summary>Grows when columns of results may have changed. What was prepared before is prepared anew in front of its next use.</summary>
    internal int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Tables were altered: every connection prepares its statements anew, before one of them fails in a transaction.</summary>
    internal void SchemaChanged() => Interlocked.Increment(ref _epoch);

    internal ResultColumns? Find(PgStatement statement)
    {
        Entry?[] entries = _bySlot;
        return (uint)statement.Slot < (uint)entries.Length && entries[statement.Slot] is { } entry
            && ReferenceEquals(entry.Statement, statement) ? entry.Columns : null;
    }

    internal void Set(PgStatement statement, ResultColumns columns) => Store(statement.Slot, new Entry(statement, columns));

    internal void Forget(PgStatement statement) => Store(statement.Slot, null);

    private void Store(int slot, Entry? entry)
    {
        _lock.Enter();
        try
        {
            Entry?[] entries = _bySlot;
            if (slot >= entries.Length)
            {
                Array.Resize(ref entries, Math.Max(slot + 1, entries.Length * 2));
                entries[slot] = entry;
                _bySlot = entries;
                return;
            }

            Volatile.Write(ref entries[slot], entry);
        }
        finally
        {
            _lock.Exit();
        }
    }
}
