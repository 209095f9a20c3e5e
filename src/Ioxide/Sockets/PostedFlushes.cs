namespace Ioxide;

/// <summary>Flushes from other threads, on their way to the queue of a <see cref="SendPipe"/>.</summary>
/// <remarks>
/// <para>They wait here, not in the reactor's work queue. Code that flushed elsewhere may continue on the reactor at once, and its flushes
/// there must not overtake the earlier ones. So every call on the reactor takes posted flushes first, and one work item serves all flushes
/// until it runs.</para>
/// <para>A small flush is copied behind the waiting one. Its emptied block is the spare: the writer uses it as its next block, or the
/// reactor takes it with the waiting flush, so that an idle connection holds no block.</para>
/// <para>Owner: the pipe, from the first flush of another thread on. Posting threads take the lock; the reactor takes it only when
/// something was posted.</para>
/// </remarks>
internal sealed class PostedFlushes(SendPipe pipe, Reactor reactor)
{
    private static readonly Action<object?, object?, long, long> s_take = static (posted, _, _, _) => ((PostedFlushes)posted!).RunTake();

    private RuntimeLock _lock;
    private MemoryBlock? _first;
    private MemoryBlock? _last;
    private long _bytes;
    private bool _isLast;
    private bool _isThere;
    private bool _isTakeQueued;

    // Empty and of the small size. Present only while something is posted; written under the lock, taken by exchange.
    private MemoryBlock? _spare;

    /// <summary>Bytes that are not in the queue yet. Threads: any.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    internal bool IsThere => Volatile.Read(ref _isThere);

    /// <summary>A block for the writer, or null.</summary>
    internal MemoryBlock? TakeSpare() => _spare is null ? null : Interlocked.Exchange(ref _spare, null);

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

        if (mustQueue && !reactor.TryEnqueue(new WorkItem(s_take, this)))
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
        MemoryBlock? spare = Forget();
        _lock.Exit();

        if (spare is not null)
        {
            pipe.Release(spare);
        }

        if (isLast)
        {
            pipe.CompleteOnReactor(first, last, bytes);
        }
        else if (first is not null)
        {
            pipe.Enqueue(first, last!, bytes);
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

    /// <summary>Called with the lock held. True: the bytes are copied, and the writer may reuse the block.</summary>
    private bool TryCopyBehind(MemoryBlock block, MemoryBlock last)
    {
        if (_last is not { } tail || !ReferenceEquals(block, last) || !ReferenceEquals(block.Pool, reactor.SmallBlocks)
            || block.Length > SendPipe.MaxCoalescedBytes || block.Length > tail.FreeLength || _spare is not null)
        {
            return false;
        }

        block.Data.CopyTo(tail.FreeSpan);
        tail.End += block.Length;
        block.Reset();
        Volatile.Write(ref _spare, block);
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
        SendPipe.ReleaseOwners(first);
    }

    /// <summary>Called with the lock held. Returns the former spare.</summary>
    private MemoryBlock? Forget()
    {
        _first = null;
        _last = null;
        _isLast = false;
        _isThere = false;
        return Interlocked.Exchange(ref _spare, null);
    }
}
