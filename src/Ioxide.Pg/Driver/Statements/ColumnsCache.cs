using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>The result columns of statements, shared by the connections of a data source: a connection that prepares one knows them.</summary>
/// <remarks>
/// <para>It keeps no statement alive: an entry lasts as long as something else holds its statement. A stale entry does no harm: the
/// server's description is compared with each Parse.</para>
/// <para>Texts that differ in their values alone (<see cref="PgStatement.Template"/>) return the same columns as a rule, so that the first use
/// of one takes one round trip. They are known here where all are binary, so that a column that has another type after all is read too, if
/// there is a codec for its binary form. Threads: any.</para>
/// </remarks>
internal sealed class ColumnsCache
{
    /// <summary>Templates that are kept; when there are more, all are forgotten.</summary>
    internal const int MaxTemplates = 1024;

    private readonly ConditionalWeakTable<PgStatement, Entry> _byStatement = [];
    private readonly ConcurrentDictionary<ulong, Entry> _byTemplate = [];
    private int _templateCount;

    // The tables have locks of their own. Waiting for them would turn the ring in the middle of the reactor's work, so this lock excludes it.
    private RuntimeLock _lock;
    private int _epoch;

    private sealed record Entry(ResultColumns Columns, int Epoch);

    /// <summary>The columns of the statement's last description, or null.</summary>
    internal ResultColumns? Find(PgStatement statement) => _byStatement.TryGetValue(statement, out Entry? entry) ? entry.Columns : null;

    /// <summary>The same, or those of a text that differs in its values alone, unless tables were altered since then.</summary>
    internal ResultColumns? FindCurrent(PgStatement statement)
        => (_byStatement.TryGetValue(statement, out Entry? entry) || _byTemplate.TryGetValue(statement.Template, out entry))
            && entry.Epoch == Epoch ? entry.Columns : null;

    /// <summary>Increases when result columns may have changed. A statement that was prepared before is prepared again before its next use.</summary>
    internal int Epoch => Volatile.Read(ref _epoch);

    /// <summary>Tables were altered. Every connection prepares its statements again, before one of them fails in a transaction.</summary>
    internal void SchemaChanged() => Interlocked.Increment(ref _epoch);

    /// <param name="statement">The described statement.</param>
    /// <param name="columns">Its result columns.</param>
    /// <param name="epoch">The <see cref="Epoch"/> when the Describe was sent.</param>
    /// <param name="isUnnamed">It has no name on the server: it may be one of many texts that differ in their values.</param>
    internal void Set(PgStatement statement, ResultColumns columns, int epoch, bool isUnnamed)
    {
        ulong template = isUnnamed ? statement.Template : SqlTemplate.None;
        bool isShared = template != SqlTemplate.None && (columns.IsAllBinary || columns.Count == 0);
        bool isKnown = (isShared ? _byTemplate.TryGetValue(template, out Entry? entry) : _byStatement.TryGetValue(statement, out entry))
            && entry!.Epoch == epoch && ReferenceEquals(entry.Columns, columns);
        if (isKnown)
        {
            return;
        }

        entry = new Entry(columns, epoch);
        Store(template, isShared ? entry : null);
        if (!isShared)
        {
            Store(statement, entry);
        }
    }

    internal void Forget(PgStatement statement)
    {
        Store(statement.Template, null);
        Store(statement, null);
    }

    private void Store(ulong template, Entry? entry)
    {
        using HeldLock held = _lock.Hold();
        if (_byTemplate.TryRemove(template, out _))
        {
            _templateCount--;
        }

        if (entry is not null)
        {
            if (_templateCount++ == MaxTemplates)
            {
                _byTemplate.Clear();
                _templateCount = 1;
            }

            _byTemplate[template] = entry;
        }
    }

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
