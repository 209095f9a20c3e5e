using System.Runtime.InteropServices;

namespace Ioxide.Simulation;

/// <summary>The ring: setting up, registering, entering, and posting completions.</summary>
internal sealed unsafe partial class SimulatedKernel
{
    /// <summary>The first ring's own number, far from those of files.</summary>
    internal const int RingDescriptor = 1 << 20;

    private const long EntriesOffset = 0x10000000;
    private const uint WorksPerEnter = 20;

    private readonly List<RingState> _rings = [new RingState(0)];

    // The one that is entered; outside of all enters the first.
    private RingState _ring;

    /// <summary>Completions that were posted so far.</summary>
    internal long Posted { get; private set; }

    internal long Enters { get; private set; }

    /// <summary>A running hash over all completions: two runs of a seed must agree.</summary>
    internal ulong Trace { get; private set; }

    /// <summary>Told of each completion; for scripts that compare.</summary>
    internal Action<Completion>? OnPosted { get; set; }

    internal override int RingSetup(uint entries, RingParams* parameters)
    {
        if (entries == 0)
        {
            return -Errno.EINVAL;
        }

        if (Faults.IsOldKernel && (parameters->Flags & SetupFlags.NoSubmissionArray) != 0)
        {
            return -Errno.EINVAL;
        }

        EpollRing.Layout(entries, parameters);
        if (!Faults.IsOldKernel)
        {
            parameters->Features |= RingFeatureFlags.MinimumTimeout | RingFeatureFlags.NoIoWait;
        }

        RingState ring = _rings[^1];
        if (ring.IsMade)
        {
            ring = new RingState(_rings.Count);
            _rings.Add(ring);
        }

        ring.Params = *parameters;
        return ring.Descriptor;
    }

    internal override void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
    {
        error = 0;
        void* memory = NativeMemory.AllocZeroed(length);
        _memory.Add((nint)memory);
        if (fd >= RingDescriptor && offset == 0)
        {
            RingOf(fd).Queues = (byte*)memory;
            RingOf(fd).QueuesBytes = (int)length;
        }
        else if (fd >= RingDescriptor && offset == EntriesOffset)
        {
            RingOf(fd).Entries = (Sqe*)memory;
            RingOf(fd).EntriesBytes = (int)length;
        }

        return memory;
    }

    internal override int Unmap(void* address, nuint length)
    {
        if (_ringAtEnd is not null)
        {
            Violate("memory is unmapped that a blocked handler returns through");
        }

        if (!_memory.Remove((nint)address))
        {
            Violate("memory was unmapped that is not mapped");
            return -Errno.EINVAL;
        }

        NativeMemory.Free(address);
        return 0;
    }

    internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
    {
        switch (opcode)
        {
            case RegisterOpcode.Probe:
                var probe = (OperationProbe*)argument;
                probe->OperationCount = OperationProbe.MaxOperations;
                for (int operation = 0; operation < OperationProbe.MaxOperations; operation++)
                {
                    probe->Operations[(operation * 8) + 2] = 1;
                }

                return 0;
            case RegisterOpcode.EnableRings:
            case RegisterOpcode.Restrictions:
            case RegisterOpcode.UnregisterRingDescriptors:
                return 0;
            case RegisterOpcode.RingDescriptors:
                if (Faults.IsOldKernel)
                {
                    return -Errno.EINVAL;
                }

                ((ResourceUpdate*)argument)->Offset = (uint)RingOf(fd).Number;
                return 1;
            case RegisterOpcode.BufferRing:
                var registration = (BufferRingRegistration*)argument;
                if (RingOf(fd).Groups.ContainsKey(registration->BufferGroup))
                {
                    return -Errno.EEXIST;
                }

                RingOf(fd).Groups[registration->BufferGroup] = new BufferGroup(
                    this, (BufferRingEntry*)registration->RingAddress, registration->RingEntries);
                return 0;
            case RegisterOpcode.UnregisterBufferRing:
                return Unregister(RingOf(fd), ((BufferRingRegistration*)argument)->BufferGroup);
            default:
                return -Errno.EINVAL;
        }
    }

    private int Unregister(RingState ring, ushort group)
    {
        if (ring.InFlight.Exists(operation => operation.Opcode == Opcode.Receive && operation.Entry.BufferGroup == group))
        {
            Violate($"group {group} was unregistered while a receive that names it is in flight");
        }

        Mark("buffers: a group retired");
        return ring.Groups.Remove(group) ? 0 : -Errno.ENOENT;
    }

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
    {
        CheckAlive("enter");
        RingState before = _ring;
        _ring = (flags & EnterFlags.RegisteredRing) != 0 ? _rings[fd] : RingOf(fd);
        try
        {
            return Enter(toSubmit, minComplete, flags, (GetEventsArgument*)argument);
        }
        finally
        {
            _ring = before;
        }
    }

    private RingState RingOf(int descriptor) => _rings[descriptor - RingDescriptor];

    private int Enter(uint toSubmit, uint minComplete, EnterFlags flags, GetEventsArgument* argument)
    {
        _ring.WaitsUntilNs = long.MaxValue;
        if (Ready > _ring.Params.CqEntries)
        {
            Violate($"places of {(int)-Ready} completions were given back that the kernel has not written");
        }

        Enters++;
        NowNs += 500;
        if (Host.BreaksRing())
        {
            return -Errno.EINVAL;
        }

        if (toSubmit > 0 && _dice.Chance(Faults.Busy))
        {
            Mark("enter: busy");
            return -Errno.EBUSY;
        }

        _ring.IsInEnter = true;
        int result = SubmitAndWait(toSubmit, minComplete, flags, argument);
        _ring.IsInEnter = false;
        return result;
    }

    private int SubmitAndWait(uint toSubmit, uint minComplete, EnterFlags flags, GetEventsArgument* wait)
    {
        Host.RunDueEvents();
        int submitted = Submit(toSubmit);
        if (submitted < toSubmit || (flags & EnterFlags.GetEvents) == 0)
        {
            // Who could not submit everything does not wait either.
            return submitted;
        }

        if (submitted > 0)
        {
            RunWorks(Math.Max(WorksPerEnter, minComplete), minComplete);
        }

        if (_dice.Chance(Faults.Interrupt))
        {
            Mark("enter: interrupted");
            return submitted > 0 ? submitted : -Errno.EINTR;
        }

        int result = Wait(minComplete, wait);
        return submitted > 0 ? submitted : result;
    }

    /// <summary>Completions that the reactor has not read.</summary>
    internal uint Ready => _ring.Ready;

    /// <summary>The rings, in the order in which they were made.</summary>
    internal IReadOnlyList<RingState> Rings => _rings;

    private bool IsFull => _ring.IsFull;

    private int Submit(uint toSubmit)
    {
        uint* head = (uint*)(_ring.Queues + _ring.Params.SqOffsets.Head);
        uint* tail = (uint*)(_ring.Queues + _ring.Params.SqOffsets.Tail);
        uint* array = (uint*)(_ring.Queues + _ring.Params.SqOffsets.Array);
        uint mask = _ring.Params.SqEntries - 1;
        uint pending = *tail - *head;
        if (pending > _ring.Params.SqEntries)
        {
            Violate($"{pending} entries are published in a queue of {_ring.Params.SqEntries}");
            return -Errno.EINVAL;
        }

        uint count = Math.Min(toSubmit, pending);
        bool isCut = count > 1 && _dice.Chance(Faults.ShortSubmission);
        Operation? chain = null;
        Operation? last = null;
        int submitted = 0;
        for (uint index = 0; index < count; index++)
        {
            uint place = *head & mask;
            if ((_ring.Params.Flags & SetupFlags.NoSubmissionArray) == 0)
            {
                place = array[place];
            }

            Operation operation = Rent(_ring.Entries[place]);
            (*head)++;
            submitted++;
            bool isLinked = (operation.Entry.Flags & SqeFlags.HardLink) != 0;
            if (chain is not null)
            {
                last!.Next = operation;
                last = operation;
            }
            else if (isLinked)
            {
                chain = operation;
                last = operation;
            }

            if (isLinked)
            {
                continue;
            }

            Issue(chain ?? operation);
            chain = null;
            if (isCut && index + 1 < count && _dice.Chance(500))
            {
                Mark("enter: short submission");
                break;
            }
        }

        if (chain is not null)
        {
            Issue(chain);
        }

        return submitted;
    }

    private int Wait(uint minComplete, GetEventsArgument* wait)
    {
        const long NanosecondsPerSecond = 1_000_000_000;
        var timespec = (KernelTimespec*)wait->Timeout;
        long limitNs = timespec is null
            ? long.MaxValue
            : NowNs + (timespec->Seconds * NanosecondsPerSecond) + timespec->Nanoseconds;
        long minimumNs = wait->MinimumWaitUs == 0 ? 0 : NowNs + (wait->MinimumWaitUs * 1000L);
        minComplete = Math.Min(minComplete, _ring.Params.CqEntries);
        RunWorks(Math.Max(WorksPerEnter, minComplete), minComplete);
        FlushOverflow();
        while (Ready < minComplete)
        {
            bool isMinimumOver = minimumNs != 0 && NowNs >= minimumNs;
            if (isMinimumOver && Ready > 0)
            {
                return 0;
            }

            if (NowNs >= limitNs)
            {
                return Ready > 0 ? 0 : -Errno.ETIME;
            }

            if (_ring.Works.Count == 0)
            {
                Host.Waits();
                bool waitsForFirst = minimumNs != 0 && !isMinimumOver;
                _ring.WaitsUntilNs = waitsForFirst ? Math.Min(limitNs, minimumNs) : limitNs;
                long until = Math.Min(Host.NextEventNs ?? long.MaxValue, _ring.WaitsUntilNs);
                switch (Host.WaitAmongOthers(ref until))
                {
                    case Waiting.Interrupted:
                        return -Errno.EINTR;
                    case Waiting.OthersTurned:
                        continue;
                }

                if (until == long.MaxValue)
                {
                    Host.NothingWillHappen();
                    return -Errno.EINTR;
                }

                NowNs = Math.Max(NowNs, until);
                Host.RunDueEvents();
            }

            // Who has slept runs no more works than completions are missing.
            uint missing = isMinimumOver ? 1 : minComplete - Ready;
            RunWorks(missing, missing);
            FlushOverflow();
        }

        return 0;
    }

    private void Post(ulong userData, int result, uint flags)
    {
        var completion = new Completion(userData, result, flags);
        Posted++;
        Trace = (Trace ^ userData ^ ((ulong)(uint)result << 32) ^ flags) * 0x9E3779B97F4A7C15;
        Trace ^= Trace >> 31;
        OnPosted?.Invoke(completion);
        if (IsFull)
        {
            Mark("completion queue: overflow");
            _ring.Overflow.Enqueue(completion);
            *(uint*)(_ring.Queues + _ring.Params.SqOffsets.Flags) |= SubmissionQueueFlags.CompletionOverflow;
            return;
        }

        Write(completion);
    }

    private void Write(in Completion completion)
    {
        uint tail = _ring.Tail;
        byte* entry = _ring.Queues + _ring.Params.CqOffsets.Cqes + ((tail & (_ring.Params.CqEntries - 1)) * Cqe.SizeInBytes);
        *(ulong*)entry = completion.UserData;
        *(int*)(entry + 8) = completion.Result;
        *(uint*)(entry + 12) = completion.Flags;
        *(uint*)(_ring.Queues + _ring.Params.CqOffsets.Tail) = tail + 1;
    }

    private void FlushOverflow()
    {
        while (_ring.Overflow.Count > 0 && Ready < _ring.Params.CqEntries)
        {
            Write(_ring.Overflow.Dequeue());
        }

        if (_ring.Overflow.Count == 0)
        {
            *(uint*)(_ring.Queues + _ring.Params.SqOffsets.Flags) &= ~SubmissionQueueFlags.CompletionOverflow;
        }
    }

    /// <summary>The last descriptor of the ring is closed: what is in flight is cancelled, and nobody is told.</summary>
    private static void CloseRing(RingState ring)
    {
        ring.IsClosed = true;
        foreach (Operation operation in ring.InFlight.ToArray())
        {
            operation.File?.Waiting.Remove(operation);
            operation.File?.LetGo();
        }

        ring.InFlight.Clear();
        ring.Works.Clear();
        ring.Groups.Clear();
    }
}
