using System.Diagnostics;

namespace Ioxide;

/// <summary>A reactor's lingering connections, in the order in which they began to linger.</summary>
/// <remarks>
/// A lingering connection is over for the application, and no limit of the host counts it, but it holds a descriptor. So a peer that never
/// ends could hold as many as it opens within the linger timeout. Over <see cref="GroupLimit"/>, a new connection ends the oldest
/// lingering one. Every step is O(1). Threads: the reactor's; <see cref="Count"/> and <see cref="Dropped"/> any.
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

    /// <summary>Connections that stopped lingering early so far.</summary>
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

    /// <summary>Removes the entry; does nothing if it is not in the list.</summary>
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

    /// <summary>A new connection was accepted: over the limit, the oldest entries close at the end of this turn.</summary>
    internal void MakeRoom() => Drop(Count - _limit);

    /// <summary>Closes this many of the oldest entries at the end of this turn.</summary>
    internal void Drop(int most)
    {
        for (; most > 0 && _oldest is { } oldest; most--)
        {
            Remove(oldest);
            Dropped++;
            oldest.End();
        }
    }

    /// <summary>A lingering connection and its deadline.</summary>
    internal sealed class Entry(IReactorConnection connection) : TimerEntry
    {
        internal Entry? Older { get; set; }

        internal Entry? Younger { get; set; }

        internal bool IsListed { get; set; }

        internal override void OnDue() => connection.MarkDirty();

        /// <summary>Ends lingering as the deadline would.</summary>
        internal void End()
        {
            connection.Reactor.Timers.Remove(this);
            connection.MarkDirty();
        }
    }
}
