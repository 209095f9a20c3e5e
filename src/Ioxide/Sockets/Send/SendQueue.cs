namespace Ioxide;

/// <summary>The queue of flushed blocks: those that the kernel sends now, and those that follow. The reactor's alone.</summary>
/// <remarks>
/// A block leaves the queue with the completion of the send that took its last byte, whatever happened to the
/// connection meanwhile. Blocks in flight stay at the head until then. A mutable struct: the field of its <see cref="Sender"/>.
/// </remarks>
internal struct SendQueue
{
    /// <summary>A flush of at most this size is copied behind the one before it, so that both are contiguous.</summary>
    internal const int MaxCoalescedBytes = 512;

    /// <summary>Bytes from the head to the tail. Other threads read it.</summary>
    internal long Bytes;

    private MemoryBlock? _tail;

    /// <summary>The block whose bytes are sent first. It has some.</summary>
    internal MemoryBlock? Head { get; private set; }

    /// <summary>The last block that the kernel reads; null while no send is in flight.</summary>
    internal MemoryBlock? LastInFlight { get; set; }

    /// <summary>Adds a chain that has bytes; some of its blocks may have none.</summary>
    internal void Add(Reactor reactor, MemoryBlock first, MemoryBlock last, long bytes)
    {
        Debug.Assert(bytes > 0);
        Bytes += bytes;
        if (ReferenceEquals(first, last) && TryCoalesce(reactor, first))
        {
            return;
        }

        if (_tail is null)
        {
            Head = DropEmpty(reactor, first);
        }
        else
        {
            _tail.Next = first;
        }

        _tail = last;
    }

    /// <summary>Nothing is in flight any more; the kernel took this many bytes.</summary>
    /// <returns>The type of the record that was taken as a whole, or 0: a non-data record is sent alone.</returns>
    internal byte Take(Reactor reactor, long bytes)
    {
        LastInFlight = null;
        Bytes -= bytes;
        byte recordType = 0;
        while (Head is { } block)
        {
            int taken = (int)Math.Min(bytes, block.Length);
            block.Start += taken;
            bytes -= taken;
            if (block.Length > 0)
            {
                break;
            }

            Head = block.Next;
            recordType = Math.Max(recordType, block.RecordType); // An empty block may follow.
            Release(reactor, block);
        }

        Debug.Assert(bytes == 0);
        if (Head is null)
        {
            _tail = null;
            Debug.Assert(Bytes == 0);
        }

        return recordType;
    }

    /// <summary>Drops everything. Nothing is in flight.</summary>
    internal void Drop(Reactor reactor)
    {
        MemoryBlock? head = Head;
        Head = null;
        _tail = null;
        Bytes = 0;
        ReleaseChain(reactor, head);
    }

    /// <summary>Gives the blocks of a chain back. Threads: the reactor's, or any when it has ended.</summary>
    internal static void ReleaseChain(Reactor reactor, MemoryBlock? block)
    {
        while (block is not null)
        {
            MemoryBlock? next = block.Next;
            Release(reactor, block);
            block = next;
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

    internal static void Release(Reactor reactor, MemoryBlock block)
    {
        if (!block.IsReference)
        {
            block.Pool?.Return(block);
        }
        else if (!block.HasOwner)
        {
            block.ReleaseReference();
            reactor.Memory.ReturnReference(block);
        }
        else
        {
            // The owner is application code: it runs from the loop.
            WorkItem release = WorkItem.Of(block, static block => block.ReleaseReference(), WorkOwner.Application);
            if (reactor.TryEnqueue(release))
            {
                return;
            }

            if (reactor.IsCurrent)
            {
                // The reactor ends, maybe below a blocked handler.
                reactor.RunOnThreadPool(release);
            }
            else
            {
                block.ReleaseReference();
            }
        }
    }

    /// <summary>The writer may have asked for a block and left it empty in front of a reference.</summary>
    /// <returns>The chain from its first byte on.</returns>
    private static MemoryBlock DropEmpty(Reactor reactor, MemoryBlock first)
    {
        while (first.Length == 0)
        {
            MemoryBlock empty = first;
            first = empty.Next!; // The chain has bytes.
            Release(reactor, empty);
        }

        return first;
    }

    private readonly bool TryCoalesce(Reactor reactor, MemoryBlock block)
    {
        if (_tail is not { } tail || ReferenceEquals(tail, LastInFlight) || block.IsReference || block.RecordType != 0
            || block.Length > MaxCoalescedBytes || block.Length > tail.FreeLength)
        {
            return false;
        }

        block.Data.CopyTo(tail.FreeSpan);
        tail.End += block.Length;
        Release(reactor, block);
        return true;
    }
}
