namespace Ioxide;

/// <summary>What another thread flushed, on its way to the queue.</summary>
/// <remarks>
/// It waits in the pipe, not in the reactor's work queue: code that flushed elsewhere may go on on the reactor at once, and
/// what it flushes there must not overtake. So every call on the reactor takes what was posted first. The lock is taken by
/// posting threads, and by the reactor only when something was posted.
/// </remarks>
public sealed partial class SendPipe
{
    private static readonly Action<object?, object?, long, long> s_takePosted = static (pipe, _, _, _) => ((SendPipe)pipe!).TakePosted();

    private readonly Lock _postedLock = new();
    private MemoryBlock? _postedFirst;
    private MemoryBlock? _postedLast;
    private long _postedBytes;
    private bool _isPostedLast;
    private bool _hasPosted;

    private long PostedBytes => Volatile.Read(ref _postedBytes);

    /// <summary>Leaves a chain for the reactor. Negative <paramref name="bytes"/> drop it.</summary>
    private void PostWritten(MemoryBlock? first, long bytes, bool isLast)
    {
        bool isDropped = bytes < 0;
        lock (_postedLock)
        {
            if (first is not null && !isDropped)
            {
                if (_postedLast is null)
                {
                    _postedFirst = first;
                }
                else
                {
                    _postedLast.Next = first;
                }

                _postedLast = LastOf(first);
                _postedBytes += bytes;
            }

            _isPostedLast |= isLast;
            Volatile.Write(ref _hasPosted, true);
        }

        bool isQueued = _reactor.TryEnqueue(new WorkItem(s_takePosted, this));
        if (!isQueued)
        {
            DropPosted();
        }

        if (isDropped && first is not null && !(isQueued && _reactor.TryEnqueue(new WorkItem(
                static (pipe, first, _, _) => ((SendPipe)pipe!).ReleaseChain((MemoryBlock)first!), this, first))))
        {
            ReleaseOwners(first);
        }
    }

    /// <summary>The reactor has ended and its pools with it; only the owners of outside memory have to be told.</summary>
    private void DropPosted()
    {
        lock (_postedLock)
        {
            ReleaseOwners(_postedFirst);
            _postedFirst = null;
            _postedLast = null;
            _postedBytes = 0;
        }
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

    /// <summary>Takes over what other threads flushed. Threads: the reactor's.</summary>
    internal void TakePosted()
    {
        if (!Volatile.Read(ref _hasPosted))
        {
            return;
        }

        MemoryBlock? first;
        MemoryBlock? last;
        long bytes;
        bool isLast;
        lock (_postedLock)
        {
            first = _postedFirst;
            last = _postedLast;
            bytes = _postedBytes;
            isLast = _isPostedLast;
            _postedFirst = null;
            _postedLast = null;
            _postedBytes = 0;
            _isPostedLast = false;
            _hasPosted = false;
        }

        if (isLast)
        {
            CompleteOnReactor(first, last, bytes);
        }
        else if (first is not null)
        {
            Enqueue(first, last!, bytes);
        }
    }
}
