namespace Ioxide;

/// <summary>What another thread flushed, on its way to the queue.</summary>
/// <remarks>
/// <para>It waits in the pipe, not in the reactor's work queue: code that flushed elsewhere may go on on the reactor at once, and
/// what it flushes there must not overtake. So every call on the reactor takes what was posted first, and one work item is
/// enough for all flushes until it runs.</para>
/// <para>A small flush is copied behind the one that waits. Its emptied block is the spare: the writer's next block, or the
/// reactor takes it home with what waits, so that an idle connection holds no block.</para>
/// <para>The lock is taken by posting threads, and by the reactor only when something was posted.</para>
/// </remarks>
public sealed partial class SendPipe
{
    private static readonly Action<object?, object?, long, long> s_takePosted = static (pipe, _, _, _) => ((SendPipe)pipe!).RunTake();
    private static readonly Action<object?, object?, long, long> s_releaseChain =
        static (pipe, first, _, _) => ((SendPipe)pipe!).ReleaseChain((MemoryBlock)first!);

    private RuntimeLock _postedLock;
    private MemoryBlock? _postedFirst;
    private MemoryBlock? _postedLast;
    private long _postedBytes;
    private bool _isPostedLast;
    private bool _hasPosted;
    private bool _isTakeQueued;

    // Empty and of the small size. It is there only while something is posted; written under the lock, taken by exchange.
    private MemoryBlock? _spare;

    /// <summary>Bytes that were flushed and not yet taken by the kernel, with those on their way to the queue.</summary>
    /// <remarks>Threads: any. Never too few: what was posted is looked at first, and the reactor writes it last.</remarks>
    internal long PendingBytes => Volatile.Read(ref _postedBytes) + Volatile.Read(ref _queuedBytes);

    /// <summary>Leaves what was written for the reactor. <paramref name="isDropped"/>: it is not sent.</summary>
    private void PostWritten(bool isLast = false, bool isDropped = false)
    {
        MemoryBlock? first = _first;
        MemoryBlock? last = _last;
        long bytes = _unflushed;
        _first = null;
        _last = null;
        _unflushed = 0;

        // A block that was asked for and not written to.
        isDropped |= bytes == 0;
        _postedLock.Enter();
        if (first is not null && !isDropped && !TryCopyBehindPosted(first, last!))
        {
            if (_postedLast is null)
            {
                _postedFirst = first;
            }
            else
            {
                _postedLast.Next = first;
            }

            _postedLast = last;
        }

        Interlocked.Add(ref _postedBytes, isDropped ? 0 : bytes);
        _isPostedLast |= isLast;
        Volatile.Write(ref _hasPosted, true);
        bool mustQueue = !_isTakeQueued;
        _isTakeQueued = true;
        _postedLock.Exit();

        if (mustQueue && !_reactor.TryEnqueue(new WorkItem(s_takePosted, this)))
        {
            DropPosted();
        }

        if (first is not null && isDropped && !_reactor.TryEnqueue(new WorkItem(s_releaseChain, this, first)))
        {
            ReleaseOwners(first);
        }
    }

    /// <summary>Called with the lock held. True: the bytes are copied, and the block is the writer's to use again.</summary>
    private bool TryCopyBehindPosted(MemoryBlock block, MemoryBlock last)
    {
        if (_postedLast is not { } tail || !ReferenceEquals(block, last) || !ReferenceEquals(block.Pool, _reactor.SmallBlocks)
            || block.Length > MaxCoalescedBytes || block.Length > tail.FreeLength || _spare is not null)
        {
            return false;
        }

        block.Data.CopyTo(tail.FreeSpan);
        tail.End += block.Length;
        block.Reset();
        Volatile.Write(ref _spare, block);
        return true;
    }

    /// <summary>The reactor has ended and its pools with it; only the owners of outside memory have to be told.</summary>
    private void DropPosted()
    {
        _postedLock.Enter();
        MemoryBlock? first = _postedFirst;
        ForgetPosted();
        Volatile.Write(ref _postedBytes, 0);
        _isTakeQueued = false;
        _postedLock.Exit();
        ReleaseOwners(first);
    }

    private static void ReleaseOwners(MemoryBlock? block)
    {
        for (; block is not null; block = block.Next)
        {
            if (block.IsReference)
            {
                block.ReleaseReference();
            }
        }
    }

    private void RunTake()
    {
        // Under the lock, and before the look: who saw the flag set has posted already.
        _postedLock.Enter();
        _isTakeQueued = false;
        _postedLock.Exit();
        TakePosted();
    }

    /// <summary>Takes over what other threads flushed. Threads: the reactor's.</summary>
    internal void TakePosted()
    {
        if (!Volatile.Read(ref _hasPosted))
        {
            return;
        }

        _postedLock.Enter();
        MemoryBlock? first = _postedFirst;
        MemoryBlock? last = _postedLast;
        long bytes = _postedBytes;
        bool isLast = _isPostedLast;
        MemoryBlock? spare = ForgetPosted();
        _postedLock.Exit();

        if (spare is not null)
        {
            Release(spare);
        }

        if (isLast)
        {
            CompleteOnReactor(first, last, bytes);
        }
        else if (first is not null)
        {
            Enqueue(first, last!, bytes);
        }

        Interlocked.Add(ref _postedBytes, -bytes);
    }

    /// <summary>Called with the lock held. What it returns was the spare.</summary>
    private MemoryBlock? ForgetPosted()
    {
        _postedFirst = null;
        _postedLast = null;
        _isPostedLast = false;
        _hasPosted = false;
        return Interlocked.Exchange(ref _spare, null);
    }
}
