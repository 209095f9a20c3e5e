namespace Ioxide;

/// <summary>One ring that is played over epoll: its queues, its groups of buffers, its end.</summary>
/// <remarks>
/// <para>An entry becomes an operation. What a call can do at once ends at once. What gives EAGAIN is parked on its descriptor, and an
/// edge of epoll makes a work of it; works are gone on with by the same or the next enter. An operation owns its memory until its last
/// completion, and has exactly one.</para>
/// <para>Each time that an operation is parked, epoll is told, and looks at the descriptor again: so an edge that came before is not lost, and
/// a number that was closed and given again heals. An edge that is stale makes an operation try, and be parked still.</para>
/// <para>What is parked on a number ends with ECANCELED when an entry closes it. Linux's ring would hold the open file; epoll cannot.</para>
/// <para>Threads: the one that enters. Any thread may close the ring: if one is inside enter, that one releases it.</para>
/// </remarks>
internal sealed unsafe partial class EpollRing
{
    private const uint CompletionsAt = 64;
    private const uint MaxEntries = 32768;
    private const int Idle = 0;
    private const int InEnter = 1;
    private const int Closed = 2;

    private readonly int _descriptor;
    private readonly RingParams _params;
    private readonly List<EpollOperation> _operations = [];
    private readonly Queue<(ulong UserData, int Result, uint Flags)> _overflow = new();
    private byte* _queues;
    private Sqe* _entries;
    private readonly EpollSockets _sockets;
    private BufferGroup[] _groups = [];
    private EpollOperation? _spare;
    private int _state;

    internal EpollRing(EpollKernel kernel, int descriptor, in RingParams parameters)
    {
        Kernel = kernel;
        _descriptor = descriptor;
        _params = parameters;
        Waits = new EpollWaits(this, descriptor);
        Reads = new EpollReads(this, descriptor);
        _sockets = new EpollSockets(this);
    }

    internal EpollKernel Kernel { get; }

    internal EpollWaits Waits { get; }

    internal EpollReads Reads { get; }

    /// <summary>Completions that were not read.</summary>
    private uint Ready => *CqTail - Volatile.Read(ref *(uint*)(_queues + _params.CqOffsets.Head));

    private uint* CqTail => (uint*)(_queues + _params.CqOffsets.Tail);

    /// <summary>A multishot that completes into a full queue ends.</summary>
    internal bool IsFull => Ready == _params.CqEntries || _overflow.Count > 0;

    /// <summary>Rounds the sizes up as Linux does, and says where the parts of the queues lie.</summary>
    internal static void Layout(uint entries, RingParams* parameters)
    {
        parameters->SqEntries = System.Numerics.BitOperations.RoundUpToPowerOf2(Math.Min(entries, MaxEntries));
        parameters->CqEntries = System.Numerics.BitOperations.RoundUpToPowerOf2(
            Math.Min(Math.Max(parameters->CqEntries, parameters->SqEntries), 2 * MaxEntries));
        parameters->Features = RingFeatureFlags.SingleMapping | RingFeatureFlags.NoDrop | RingFeatureFlags.ExtendedArgument;
        parameters->SqOffsets = new SqRingOffsets
        {
            Head = 0,
            Tail = 4,
            RingMask = 16,
            RingEntries = 24,
            Dropped = 32,
            Flags = 36,
            Array = CompletionsAt + (parameters->CqEntries * Cqe.SizeInBytes),
        };
        parameters->CqOffsets = new CqRingOffsets
        {
            Head = 8,
            Tail = 12,
            RingMask = 20,
            RingEntries = 28,
            Flags = 40,
            Overflow = 44,
            Cqes = CompletionsAt,
        };
    }

    internal void SetMemory(byte* memory, bool isQueues)
    {
        if (isQueues)
        {
            _queues = memory;
        }
        else
        {
            _entries = (Sqe*)memory;
        }
    }

    internal int Register(RegisterOpcode opcode, void* argument)
    {
        switch (opcode)
        {
            case RegisterOpcode.Probe:
                Probe((OperationProbe*)argument);
                return 0;
            case RegisterOpcode.EnableRings:
            case RegisterOpcode.Restrictions:
                return 0;
            case RegisterOpcode.BufferRing:
                return AddGroup((BufferRingRegistration*)argument);
            case RegisterOpcode.UnregisterBufferRing:
                ushort group = ((BufferRingRegistration*)argument)->BufferGroup;
                if (!HasGroup(group))
                {
                    return -Errno.ENOENT;
                }

                _groups[group] = default;
                return 0;
            default:
                return -Errno.EINVAL;
        }
    }

    /// <summary>Ends the ring. Nobody is told of what is in flight.</summary>
    internal void Close()
    {
        if ((Interlocked.Or(ref _state, Closed) & InEnter) == 0)
        {
            Release();
        }
    }

    private static void Probe(OperationProbe* probe)
    {
        const int BytesPerOperation = 8;
        const int FlagsOffset = 2;
        probe->OperationCount = OperationProbe.MaxOperations;
        ReadOnlySpan<Opcode> known =
        [
            Opcode.Nop, Opcode.PollAdd, Opcode.SendMessage, Opcode.Accept, Opcode.AsyncCancel, Opcode.Connect, Opcode.Close, Opcode.Read,
            Opcode.Send, Opcode.Receive,
        ];
        foreach (Opcode opcode in known)
        {
            probe->Operations[((int)opcode * BytesPerOperation) + FlagsOffset] = 1;
        }
    }

    private int AddGroup(BufferRingRegistration* registration)
    {
        ushort group = registration->BufferGroup;
        if (HasGroup(group))
        {
            return -Errno.EEXIST;
        }

        if (_groups.Length <= group)
        {
            Array.Resize(ref _groups, group + 1);
        }

        _groups[group] = new BufferGroup((BufferRingEntry*)registration->RingAddress, registration->RingEntries);
        return 0;
    }

    /// <summary>The next buffer of a group, or null where it has none or does not exist.</summary>
    internal BufferRingEntry* NextBuffer(ushort group) => HasGroup(group) ? _groups[group].Next : null;

    internal void TakeBuffer(ushort group) => _groups[group].Take();

    private bool HasGroup(ushort group) => group < _groups.Length && _groups[group].IsRegistered;

    internal void Post(ulong userData, int result, uint flags)
    {
        if (IsFull)
        {
            _overflow.Enqueue((userData, result, flags));
            uint* state = (uint*)(_queues + _params.SqOffsets.Flags);
            Volatile.Write(ref *state, *state | SubmissionQueueFlags.CompletionOverflow);
            return;
        }

        Write(userData, result, flags);
    }

    private void Write(ulong userData, int result, uint flags)
    {
        uint tail = *CqTail;
        byte* entry = _queues + _params.CqOffsets.Cqes + ((tail & (_params.CqEntries - 1)) * Cqe.SizeInBytes);
        *(ulong*)entry = userData;
        *(int*)(entry + 8) = result;
        *(uint*)(entry + 12) = flags;
        Volatile.Write(ref *CqTail, tail + 1);
    }

    private void FlushOverflow()
    {
        if (_overflow.Count == 0)
        {
            return;
        }

        while (_overflow.Count > 0 && Ready < _params.CqEntries)
        {
            (ulong userData, int result, uint flags) = _overflow.Dequeue();
            Write(userData, result, flags);
        }

        if (_overflow.Count == 0)
        {
            uint* state = (uint*)(_queues + _params.SqOffsets.Flags);
            Volatile.Write(ref *state, *state & ~SubmissionQueueFlags.CompletionOverflow);
        }
    }

    private EpollOperation Rent(in Sqe entry)
    {
        EpollOperation? operation = _spare;
        if (operation is null)
        {
            operation = new EpollOperation(this);
            _operations.Add(operation);
        }
        else
        {
            _spare = operation.Next;
        }

        operation.Start(entry);
        return operation;
    }

    private void Recycle(EpollOperation operation)
    {
        operation.Next = _spare;
        _spare = operation;
    }

    /// <summary>The last completion of an operation, whose memory is its submitter's again.</summary>
    internal void End(EpollOperation operation, int result, uint flags = 0)
    {
        Debug.Assert(!operation.IsDone);
        Debug.Assert(!operation.IsWithPool);
        operation.IsDone = true;
        Waits.Forget(operation);
        Post(operation.Entry.UserData, result, flags);
        if (operation.Next is { } next)
        {
            operation.Next = null;
            next.IsLinkedNext = true;
            QueueWork(next);
        }

        if (!operation.IsQueued)
        {
            Recycle(operation);
        }
    }

    /// <summary>Gives descriptors and memory back. A thread of the pool may still read a file into its submitter's memory.</summary>
    private void Release()
    {
        Reads.Release();
        _ = Kernel.CloseNumber(_descriptor);
        Waits.Free();
        foreach (EpollOperation operation in _operations)
        {
            operation.Free();
        }
    }
}
