using System.Diagnostics;

namespace Ioxide;

/// <summary>The connections of a reactor that linger, in the order in which they started to.</summary>
/// <remarks>
/// A connection that lingers is over for the application, and no limit of the host's counts it, but it has a descriptor. So a peer that never ends
/// could hold as many as it opens within the linger timeout. A new connection over <see cref="GroupLimit"/> ends the oldest
/// one. Every step is O(1). Threads: the reactor's; <see cref="Count"/> and <see cref="Dropped"/> any.
/// </remarks>
internal sealed class LingerList
{
    /// <summary>Connections that may linger on all reactors of a group together while new ones are accepted.</summary>
    internal const int GroupLimit = 256;

    private readonly int _limit;
    private Entry? _oldest;
    private Entry? _youngest;

    internal LingerList(int reactorCount) => _limit = Math.Max(1, GroupLimit / reactorCount);

    /// <summary>Connections that linger now.</summary>
    internal int Count { get; private set; }

    /// <summary>Connections whose lingering was cut short so far.</summary>
    internal long Dropped { get; private set; }

    internal void Add(Entry entry)
    {
        Debug.Assert(entry.Older is null);
        Debug.Assert(entry.Younger is null);
        entry.Older = _youngest;
        if (_youngest is null)
        {
            _oldest = entry;
        }
        else
        {
            _youngest.Younger = entry;
        }

        _youngest = entry;
        entry.IsListed = true;
        Count++;
    }

    /// <summary>Takes the entry out; harmless if it is not in.</summary>
    internal void Remove(Entry entry)
    {
        if (!entry.IsListed)
        {
            return;
        }

        if (entry.Older is null)
        {
            _oldest = entry.Younger;
        }
        else
        {
            entry.Older.Younger = entry.Younger;
        }

        if (entry.Younger is null)
        {
            _youngest = entry.Older;
        }
        else
        {
            entry.Younger.Older = entry.Older;
        }

        entry.Older = null;
        entry.Younger = null;
        entry.IsListed = false;
        Count--;
    }

    /// <summary>A new connection was accepted: over the limit the oldest close at the end of this turn.</summary>
    internal void MakeRoom() => Drop(Count - _limit);

    /// <summary>Closes so many of the oldest at the end of this turn.</summary>
    internal void Drop(int most)
    {
        for (; most > 0 && _oldest is { } oldest; most--)
        {
            Remove(oldest);
            Dropped++;
            oldest.End();
        }
    }

    /// <summary>A connection that lingers, and its limit of time.</summary>
    internal sealed class Entry(IReactorConnection connection) : TimerEntry
    {
        internal Entry? Older { get; set; }

        internal Entry? Younger { get; set; }

        internal bool IsListed { get; set; }

        internal override void OnDue() => connection.MarkDirty();

        /// <summary>Ends as when the time is over.</summary>
        internal void End()
        {
            connection.Reactor.Timers.Remove(this);
            connection.MarkDirty();
        }
    }
}
