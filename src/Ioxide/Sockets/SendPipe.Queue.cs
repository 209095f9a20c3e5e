using System.Diagnostics;

namespace Ioxide;

/// <summary>The queue of flushed blocks: those that the kernel sends now, and those that follow. The reactor's alone.</summary>
/// <remarks>
/// A block leaves the queue with the completion of the send that took its last byte, whatever happened to the
/// connection meanwhile. Blocks in flight stay at the head until then.
/// </remarks>
public sealed partial class SendPipe
{
    /// <summary>A flush of at most this size is copied behind the one before it, so that both are contiguous.</summary>
    internal const int MaxCoalescedBytes = 512;

    private MemoryBlock? _queueHead;
    private MemoryBlock? _queueTail;
    private MemoryBlock? _lastInFlight;
    private long _queuedBytes;

    // Read by writers on other threads.
    private volatile Outlet _outlet;

    private enum Outlet
    {
        /// <summary>The application may write more.</summary>
        Open,

        /// <summary>The application has written its last byte.</summary>
        Finished,

        /// <summary>The peer takes nothing more, whatever is written.</summary>
        Ended,
    }

    /// <summary>Flushed bytes that the kernel has not yet taken. Threads: any.</summary>
    internal long QueuedBytes => Volatile.Read(ref _queuedBytes);

    /// <summary>Flushed bytes that the kernel has not yet taken, including those on their way to the queue.</summary>
    /// <remarks>Threads: any. Never too low: posted bytes are read first, and the reactor writes their count last.</remarks>
    internal long PendingBytes => (_posted?.Bytes ?? 0) + Volatile.Read(ref _queuedBytes);

    /// <summary>Whether the application has written its last byte, and the peer may take it.</summary>
    internal bool IsFinished => _outlet == Outlet.Finished;

    private bool HasEnded => _outlet == Outlet.Ended;

    /// <summary>The peer takes nothing more. Blocks that are not in flight are dropped now, the rest with its completion.</summary>
    internal void End()
    {
        _outlet = Outlet.Ended;
        if (_lastInFlight is null)
        {
            DropQueue();
        }

        EndPause();
    }

    /// <summary>Takes the flushes of other threads. Threads: the reactor's.</summary>
    internal void TakePosted()
    {
        if (_posted is { IsThere: true } posted)
        {
            posted.Take();
        }
    }

    internal void Enqueue(MemoryBlock first, MemoryBlock last, long bytes)
    {
        if (HasEnded || bytes == 0)
        {
            ReleaseChain(first);
            return;
        }

        _connection.MarkDirty();
        _queuedBytes += bytes;
        if (ReferenceEquals(first, last) && TryCoalesce(first))
        {
            return;
        }

        if (_queueTail is null)
        {
            _queueHead = first;
        }
        else
        {
            _queueTail.Next = first;
        }

        _queueTail = last;
    }

    /// <summary>The writer's last chain. Threads: the reactor's.</summary>
    internal void CompleteOnReactor(MemoryBlock? first, MemoryBlock? last, long bytes)
    {
        if (first is not null)
        {
            Enqueue(first, last!, bytes);
        }

        if (_outlet == Outlet.Open)
        {
            _outlet = Outlet.Finished;
        }

        _connection.MarkDirty();
    }

    internal void Release(MemoryBlock block)
    {
        if (!block.IsReference)
        {
            block.Pool?.Return(block);
        }
        else if (!block.HasOwner)
        {
            block.ReleaseReference();
            _reactor.ReturnReference(block);
        }
        else
        {
            // The owner is application code: it runs from the loop.
            var release = new WorkItem(
                static (block, _, _, _) => ((MemoryBlock)block!).ReleaseReference(), block, Owner: WorkOwner.Application);
            if (_reactor.TryEnqueue(release))
            {
                return;
            }

            if (_reactor.IsCurrent)
            {
                // The reactor ends, maybe below a blocked handler.
                _reactor.RunOnThreadPool(release);
            }
            else
            {
                block.ReleaseReference();
            }
        }
    }

    /// <summary>Disposes the owners of outside memory after the pools have gone with their reactor. Threads: any.</summary>
    internal static void ReleaseOwners(MemoryBlock? block)
    {
        for (; block is not null; block = block.Next)
        {
            if (block.IsReference)
            {
                block.ReleaseReference();
            }
        }
    }

    /// <summary>The send in flight is over; the kernel took this many bytes.</summary>
    private void TakeSent(long bytes)
    {
        _lastInFlight = null;
        _queuedBytes -= bytes;
        byte recordType = 0;
        while (_queueHead is { } block)
        {
            int taken = (int)Math.Min(bytes, block.Length);
            block.Start += taken;
            bytes -= taken;
            if (block.Length > 0)
            {
                break;
            }

            _queueHead = block.Next;
            recordType = block.RecordType;
            Release(block);
        }

        Debug.Assert(bytes == 0);
        if (_queueHead is null)
        {
            _queueTail = null;
            Debug.Assert(_queuedBytes == 0);
        }

        if (HasEnded)
        {
            DropQueue();
        }
        else if (recordType != 0)
        {
            Layer?.RecordSent(recordType);
        }
    }

    private bool TryCoalesce(MemoryBlock block)
    {
        if (_queueTail is not { } tail || ReferenceEquals(tail, _lastInFlight) || block.IsReference || block.RecordType != 0
            || block.Length > MaxCoalescedBytes || block.Length > tail.FreeLength)
        {
            return false;
        }

        block.Data.CopyTo(tail.FreeSpan);
        tail.End += block.Length;
        Release(block);
        return true;
    }

    private void DropQueue()
    {
        MemoryBlock? head = _queueHead;
        _queueHead = null;
        _queueTail = null;
        _queuedBytes = 0;
        ReleaseChain(head);
    }

    private void ReleaseChain(MemoryBlock? block)
    {
        while (block is not null)
        {
            MemoryBlock? next = block.Next;
            Release(block);
            block = next;
        }
    }
}
