namespace Ioxide.TestKit;

/// <summary>One ring under a <see cref="FaultyKernel"/>: its queues, and what is done to enters.</summary>
/// <remarks>Threads: the one that enabled it.</remarks>
internal sealed unsafe partial class FaultyRing : IDisposable
{
    private readonly FaultRates _rates;
    private readonly FaultDice _dice;
    private readonly RingParams _parameters;
    private int _piecesLeft;
    private Sqe* _entries;
    private uint* _array;
    private uint* _sqHead;
    private uint* _sqTail;
    private uint* _cqTail;
    private Cqe* _completions;

    internal FaultyRing(FaultyKernel kernel, FaultRates rates, ulong seed, in RingParams parameters)
    {
        Kernel = kernel;
        _rates = rates;
        _dice = new FaultDice(seed);
        _parameters = parameters;
        _messages = new SendVectors?[parameters.SqEntries];
    }

    internal FaultyKernel Kernel { get; }

    /// <summary>Receive buffers have been registered.</summary>
    internal bool HasBuffers { get; set; }

    /// <summary>The ring's queues or its entries were mapped.</summary>
    internal void Mapped(byte* address, long offset)
    {
        if (offset != 0)
        {
            _entries = (Sqe*)address;
            return;
        }

        _sqHead = (uint*)(address + _parameters.SqOffsets.Head);
        _sqTail = (uint*)(address + _parameters.SqOffsets.Tail);
        _cqTail = (uint*)(address + _parameters.CqOffsets.Tail);
        _completions = (Cqe*)(address + _parameters.CqOffsets.Cqes);
        bool hasArray = (_parameters.Flags & SetupFlags.NoSubmissionArray) == 0;
        _array = hasArray ? (uint*)(address + _parameters.SqOffsets.Array) : null;
    }

    internal int Enter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, GetEventsArgument* argument, nuint argumentSize)
    {
        EditEntries();
        if (Injects(Fault.EnterLate))
        {
            Thread.Sleep(_dice.Below(2));
        }

        if (Injects(Fault.EnterInterrupted))
        {
            return -Errno.EINTR;
        }

        if (toSubmit > 0 && Refuses() is { } refused)
        {
            return -refused;
        }

        uint taken = Taken(toSubmit);
        bool waits = taken == toSubmit && !(toSubmit > 0 && Injects(Fault.EnterDoesNotWait));
        if (!waits)
        {
            return Kernel.Under.RingEnter(fd, taken, 0, flags & ~EnterFlags.GetEvents, argument, argumentSize);
        }

        if (minComplete > 1 && Injects(Fault.EnterWaitsForOne))
        {
            minComplete = 1;
        }

        bool timesOut = minComplete > 0 && Injects(Fault.EnterTimesOut);
        uint before = Volatile.Read(ref *_cqTail);
        int result = Kernel.Under.RingEnter(fd, toSubmit, timesOut ? 0 : minComplete, flags, argument, argumentSize);
        Reorder(before, Volatile.Read(ref *_cqTail));
        return timesOut && result == 0 ? -(argument->Timeout != 0 ? Errno.ETIME : Errno.EINTR) : result;
    }

    public void Dispose()
    {
        foreach (SendVectors? message in _messages)
        {
            message?.Dispose();
        }
    }

    private int? Refuses() => Injects(Fault.EnterBusy) ? Errno.EBUSY : Injects(Fault.EnterAgain) ? Errno.EAGAIN : null;

    /// <summary>How many entries this enter takes: all, or some that do not end inside a chain.</summary>
    private uint Taken(uint toSubmit)
    {
        if (toSubmit < 2 || !_dice.Hits(_rates[Fault.EnterTakesSome]))
        {
            return toSubmit;
        }

        uint head = Volatile.Read(ref *_sqHead);
        uint taken = 1 + (uint)_dice.Below((int)toSubmit - 1);
        while (taken > 0 && (EntryAt(head + taken - 1)->Flags & SqeFlags.HardLink) != 0)
        {
            taken--;
        }

        if (taken == 0)
        {
            return toSubmit;
        }

        Kernel.Counts.Add(Fault.EnterTakesSome);
        return taken;
    }

    /// <summary>The kernel promises no order between operations, only between the completions of one.</summary>
    private void Reorder(uint first, uint end)
    {
        if (end - first < 2 || !_dice.Hits(_rates[Fault.CompletionsReordered]))
        {
            return;
        }

        uint mask = _parameters.CqEntries - 1;
        bool isReordered = false;
        for (uint position = first; position + 1 != end; position++)
        {
            Cqe* one = _completions + (position & mask);
            Cqe* other = _completions + ((position + 1) & mask);
            if (_dice.Below(2) == 0 && AreIndependent(new OperationId(one->UserData), new OperationId(other->UserData)))
            {
                (*one, *other) = (*other, *one);
                isReordered = true;
            }
        }

        if (isReordered)
        {
            Kernel.Counts.Add(Fault.CompletionsReordered);
        }
    }

    /// <summary>A close follows the cancel that it is chained to.</summary>
    private static bool AreIndependent(OperationId one, OperationId other)
        => one.UserData != other.UserData && (one.SlotIndex != other.SlotIndex || other.Kind != OperationKind.Close);

    private Sqe* EntryAt(uint position)
    {
        uint index = position & (_parameters.SqEntries - 1);
        return _entries + (_array is null ? index : _array[index]);
    }

    private bool Injects(Fault fault)
    {
        bool isHit = _dice.Hits(_rates[fault]);
        if (isHit)
        {
            Kernel.Counts.Add(fault);
        }

        return isHit;
    }
}
