namespace Ioxide;

/// <summary>A reactor's lingering connections, in the order in which they began to linger.</summary>
/// <remarks>
/// A lingering connection is over for the application, and no limit of the host counts it, but it holds a descriptor. So a peer that never
/// ends could hold as many as it opens within the linger timeout. Over <see cref="GroupLimit"/>, a new connection ends the oldest
/// lingering one. Every step is O(1). Threads: the reactor's; <see cref="Count"/> and <see cref="Dropped"/> any.
/// </remarks>
internal sealed class LingerList(int reactorCount)
{
    /// <summary>Connections that may linger on all reactors of a group together while new ones are accepted.</summary>
    internal const int GroupLimit = 256;

    private readonly int _limit = Math.Max(1, GroupLimit / reactorCount);
    private readonly LinkedList<Linger> _entries = new();

    /// <summary>Connections that linger now.</summary>
    internal int Count => _entries.Count;

    /// <summary>Connections that stopped lingering early so far.</summary>
    internal long Dropped { get; private set; }

    internal void Add(Linger entry) => _entries.AddLast(entry.Node);

    /// <summary>Removes the entry; does nothing if it is not in the list.</summary>
    internal void Remove(Linger entry)
    {
        if (entry.Node.List is not null)
        {
            _entries.Remove(entry.Node);
        }
    }

    /// <summary>A new connection was accepted: over the limit, the oldest entries close at the end of this turn.</summary>
    internal void MakeRoom() => Drop(Count - _limit);

    /// <summary>Closes this many of the oldest entries at the end of this turn.</summary>
    internal void Drop(int most)
    {
        for (; most > 0 && _entries.First is { } oldest; most--)
        {
            _entries.Remove(oldest);
            Dropped++;
            oldest.Value.End();
        }
    }

    /// <summary>A listener has stopped: what lingers of it ends as soon as its peer has everything.</summary>
    internal void ListenerStopped()
    {
        foreach (Linger entry in _entries)
        {
            if (entry.IsScheduled)
            {
                entry.Wait();
            }
        }
    }
}
