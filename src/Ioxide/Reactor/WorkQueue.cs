using System.Collections.Concurrent;

namespace Ioxide;

/// <summary>Work for a reactor: unlocked from its own thread, through one queue and one wake flag from others.</summary>
/// <remarks>
/// <para>The handshake prevents a lost wake-up. The reactor sets the flag (full fence), looks at the queue again, then
/// sleeps. A producer enqueues, then takes the flag by exchange (full fence); the one that took it wakes the reactor. So either the
/// reactor sees the item, or the producer sees the flag, and a sleep costs at most one wake-up.</para>
/// <para>Threads: <see cref="EnqueueRemote"/> any; the rest the reactor's.</para>
/// </remarks>
internal sealed class WorkQueue
{
    private readonly ConcurrentQueue<WorkItem> _remote = new();
    private readonly Queue<WorkItem> _local = new();
    private int _isSleeping;

    /// <summary>Number of waiting items. A reading from another thread is a snapshot.</summary>
    internal int Count => _local.Count + _remote.Count;

    internal bool IsEmpty => _local.Count == 0 && _remote.IsEmpty;

    internal void EnqueueLocal(in WorkItem item) => _local.Enqueue(item);

    /// <summary>True if the caller must wake the reactor.</summary>
    internal bool EnqueueRemote(in WorkItem item)
    {
        _remote.Enqueue(item);

        // Orders the enqueue before the read of the flag; pairs with the exchange in TryBeginSleep.
        Interlocked.MemoryBarrier();
        return Volatile.Read(ref _isSleeping) != 0 && Interlocked.Exchange(ref _isSleeping, 0) != 0;
    }

    /// <summary>Announces that the reactor will sleep. Returns false if work arrived in between; then it must not sleep.</summary>
    internal bool TryBeginSleep()
    {
        Interlocked.Exchange(ref _isSleeping, 1);
        if (IsEmpty)
        {
            return true;
        }

        EndSleep();
        return false;
    }

    internal void EndSleep() => Volatile.Write(ref _isSleeping, 0);

    internal int LocalCount => _local.Count;

    internal void Trim() => Trimmer.Shrink(_local);

    /// <summary>Counting a concurrent queue costs fences; in most turns it is empty.</summary>
    internal int RemoteCountUpTo(int most) => _remote.IsEmpty ? 0 : Math.Min(most, _remote.Count);

    internal bool TryDequeueLocal(out WorkItem item) => _local.TryDequeue(out item);

    /// <summary>Takes the oldest local item if it resumes an await.</summary>
    internal bool TryDequeueResumption(out WorkItem item) => _local.TryPeek(out item) && item.ResumesAwait && _local.TryDequeue(out item);

    internal bool TryDequeueRemote(out WorkItem item) => _remote.TryDequeue(out item);
}
