using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>The queue of flushed blocks: what the kernel sends now, and what follows it. The reactor's alone.</summary>
/// <remarks>
/// A block leaves the queue when the completion of the send that took its last byte is here, whatever happened to the
/// connection meanwhile. Blocks at the head that are in flight stay where they are until then.
/// </remarks>
public sealed partial class SendPipe
{
    // A flush as small as this is copied behind the one before it, so that both are one stretch of memory.
    private const int MaxCoalescedBytes = 512;

    private MemoryBlock? _queueHead;
    private MemoryBlock? _queueTail;
    private MemoryBlock? _lastInFlight;
    private long _queuedBytes;
    private bool _isEnded;
    private bool _isFinished;

    /// <summary>Bytes that were flushed and not yet taken by the kernel.</summary>
    internal long QueuedBytes => _queuedBytes;

    /// <summary>The first block to send, or null.</summary>
    internal MemoryBlock? QueueHead => _queueHead;

    /// <summary>Whether the application has written its last byte.</summary>
    internal bool IsFinished => _isFinished;

    /// <summary>The blocks up to this one are named by a send.</summary>
    internal void MarkInFlight(MemoryBlock last) => _lastInFlight = last;

    /// <summary>The send in flight is over; the kernel took so many bytes.</summary>
    internal void TakeSent(long bytes)
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

        if (_isEnded)
        {
            DropQueue();
        }
        else if (recordType != 0)
        {
            _connection.SendLayer?.RecordSent(recordType);
        }
    }

    /// <summary>The peer takes nothing more. What is not in flight is dropped now, the rest with its completion.</summary>
    internal void End()
    {
        _isEnded = true;
        if (_lastInFlight is null)
        {
            DropQueue();
        }
    }

    /// <summary>As <see cref="NotifyFlush"/>, from where no application code may run.</summary>
    internal void NotifyFlushLater()
    {
        if (IsFlushWaiting)
        {
            _reactor.Enqueue(new WorkItem(static (pipe, _, _, _) => ((SendPipe)pipe!).NotifyFlush(), this));
        }
    }

    /// <summary>Resumes a waiting flush where there is room again. Called last, because it runs application code.</summary>
    internal void NotifyFlush()
    {
        if (_wait is { IsWaiting: true } wait && (_isEnded || _isCancelRequested || _queuedBytes <= _lowWatermark))
        {
            wait.EndWait();
            wait.SetResult(_reactor, TakeFlushResult());
        }
    }

    private void Enqueue(MemoryBlock first, MemoryBlock last, long bytes)
    {
        if (_isEnded || bytes == 0)
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

    private void CompleteOnReactor(MemoryBlock? first, MemoryBlock? last, long bytes)
    {
        if (first is not null)
        {
            if (bytes < 0)
            {
                ReleaseChain(first);
            }
            else
            {
                Enqueue(first, last!, bytes);
            }
        }

        _isFinished = true;
        _connection.MarkDirty();
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

    private void Release(MemoryBlock block)
    {
        if (block.IsReference && !block.HasOwner)
        {
            block.ReleaseReference();
            _reactor.ReturnReference(block);
        }
        else if (block.IsReference)
        {
            // The owner's code is the application's: it runs from the loop.
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
        else
        {
            block.Pool?.Return(block);
        }
    }
}
