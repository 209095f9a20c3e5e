using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg;

/// <summary>Callers that wait to lease a connection, first in, first out. The pools under one total share it.</summary>
/// <remarks>Threads: any.</remarks>
internal sealed class LeaseQueue
{
    private readonly LinkedList<LeaseRequest> _requests = new();
    private RuntimeLock _lock;
    private int _count;

    internal int Count => Volatile.Read(ref _count);

    /// <summary>The tick at which the oldest waiter began to wait; the largest number if there is none.</summary>
    internal long OldestTick
    {
        get
        {
            using HeldLock held = _lock.Hold();
            return _requests.First?.Value.QueuedTick ?? long.MaxValue;
        }
    }

    internal void Enqueue(LeaseRequest request)
    {
        using HeldLock held = _lock.Hold();
        _requests.AddLast(request.Place);
        _count = _requests.Count;
    }

    /// <summary>Takes the oldest waiter that has waited since before a tick.</summary>
    internal bool TryDequeue([NotNullWhen(true)] out LeaseRequest? request, long beforeTick = long.MaxValue)
    {
        request = null;
        if (Count == 0)
        {
            return false;
        }

        using HeldLock held = _lock.Hold();
        if (_requests.First is not { } first || first.Value.QueuedTick >= beforeTick)
        {
            return false;
        }

        _requests.RemoveFirst();
        _count = _requests.Count;
        request = first.Value;
        return true;
    }

    /// <summary>The caller has stopped waiting.</summary>
    internal void Remove(LeaseRequest request)
    {
        using HeldLock held = _lock.Hold();
        if (request.Place.List is not null)
        {
            _requests.Remove(request.Place);
            _count = _requests.Count;
        }
    }
}
