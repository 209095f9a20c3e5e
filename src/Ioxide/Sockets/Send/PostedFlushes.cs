namespace Ioxide;

/// <summary>Flushes from other threads, on their way to the queue of a <see cref="SendPipe"/>.</summary>
/// <remarks>
/// <para>They wait here, not in the reactor's work queue. Code that flushed elsewhere may continue on the reactor at once, and its flushes
/// there must not overtake the earlier ones. So every call on the reactor takes posted flushes first, and one work item serves all flushes
/// until it runs.</para>
/// <para>A small flush is copied behind the waiting one, and its block goes back to the pool at once.</para>
/// <para>Owner: the pipe, from the first flush of another thread on. Posting threads take the lock; the reactor takes it only when
/// something was posted.</para>
/// </remarks>
internal sealed class PostedFlushes(Sender sender, Reactor reactor)
{
    private RuntimeLock _lock;
    private MemoryBlock? _first;
    private MemoryBlock? _last;
    private long _bytes;
    private bool _isLast;
    private bool _isThere;
    private bool _isTakeQueued;

    /// <summary>Bytes that are not in the queue yet. Threads: any.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    internal bool IsThere => Volatile.Read(ref _isThere);

    /// <summary>Leaves a chain for the reactor, and whether it is the writer's last. Threads: the writer's.</summary>
    internal void Add(MemoryBlock? first, MemoryBlock? last, long bytes, bool isLast)
    {
        _lock.Enter();
        if (first is not null && !TryCopyBehind(first, last!))
        {
            if (_last is null)
            {
                _first = first;
            }
            else
            {
                _last.Next = first;
            }

            _last = last;
        }

        Interlocked.Add(ref _bytes, bytes);
        _isLast |= isLast;
        Volatile.Write(ref _isThere, true);
        bool mustQueue = !_isTakeQueued;
        _isTakeQueued = true;
        _lock.Exit();

        if (mustQueue && !reactor.TryEnqueue(this, static posted => posted.RunTake()))
        {
            Drop();
        }
    }

    /// <summary>Takes the flushes of other threads. Threads: the reactor's.</summary>
    internal void Take()
    {
        _lock.Enter();
        MemoryBlock? first = _first;
        MemoryBlock? last = _last;
        long bytes = _bytes;
        bool isLast = _isLast;
        Forget();
        _lock.Exit();

        if (isLast)
        {
            sender.Finish(first, last, bytes);
        }
        else if (first is not null)
        {
            sender.Enqueue(first, last!, bytes);
        }

        Interlocked.Add(ref _bytes, -bytes);
    }

    private void RunTake()
    {
        // Under the lock, and before the look: a thread that saw the flag set has posted already.
        _lock.Enter();
        _isTakeQueued = false;
        _lock.Exit();
        if (IsThere)
        {
            Take();
        }
    }

    /// <summary>Called with the lock held. True: the bytes are copied, and the block is the pool's again.</summary>
    private bool TryCopyBehind(MemoryBlock block, MemoryBlock last)
    {
        // Only a block that was rented on another thread may be returned by one.
        if (_last is not { } tail || !ReferenceEquals(block, last) || !block.IsShared
            || block.Length > SendQueue.MaxCoalescedBytes || block.Length > tail.FreeLength)
        {
            return false;
        }

        block.Data.CopyTo(tail.FreeSpan);
        tail.End += block.Length;
        block.Pool!.Return(block);
        return true;
    }

    /// <summary>The reactor and its pools have ended; only the owners of outside memory must be disposed.</summary>
    private void Drop()
    {
        _lock.Enter();
        MemoryBlock? first = _first;
        Forget();
        Volatile.Write(ref _bytes, 0);
        _isTakeQueued = false;
        _lock.Exit();
        SendQueue.ReleaseOwners(first);
    }

    /// <summary>Called with the lock held.</summary>
    private void Forget()
    {
        _first = null;
        _last = null;
        _isLast = false;
        _isThere = false;
    }
}
