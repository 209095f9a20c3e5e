namespace Ioxide;

/// <summary>Sizes and modes of a ring.</summary>
/// <param name="SqEntries">Submission queue entries, a power of two.</param>
/// <param name="CqEntries">Completion queue entries, a power of two, at least <paramref name="SqEntries"/>.</param>
/// <param name="Restrict">Only the runtime's operations are allowed on the ring.</param>
internal readonly record struct RingOptions(uint SqEntries, uint CqEntries, bool Restrict = true);

/// <summary>Maps one ring, owns its memory and descriptor, submits and waits.</summary>
/// <remarks>
/// Any thread may create a ring, disabled, so that the caller who starts a reactor sees every error. The reactor's thread enables it,
/// and from then on is the only one that may use it (SINGLE_ISSUER).
/// Sources: io_uring_setup(2), io_uring_enter(2), io_uring_register(2).
/// </remarks>
internal sealed unsafe partial class Ring : IDisposable
{
    private const int SubmitPatienceMs = 5000;

    private readonly Kernel _kernel;
    private readonly bool _restrict;
    private readonly byte* _mapping;
    private readonly nuint _mappingBytes;
    private readonly Sqe* _entries;
    private readonly nuint _entriesBytes;
    private readonly GetEventsArgument* _waitArgument;
    private readonly KernelTimespec* _waitTimeout;
    private EnterFlags _enterFlags;
    private int _enterDescriptor;
    private int _listRefusal;

    private Ring(Kernel kernel, int descriptor, in RingParams parameters, bool restrict)
    {
        _kernel = kernel;
        Descriptor = descriptor;
        _enterDescriptor = descriptor;
        _restrict = restrict;
        Flags = parameters.Flags;
        Features = parameters.Features;

        nuint sqBytes = parameters.SqOffsets.Array + (parameters.SqEntries * sizeof(uint));
        nuint cqBytes = parameters.CqOffsets.Cqes + (parameters.CqEntries * Cqe.SizeInBytes);
        _mappingBytes = Math.Max(sqBytes, cqBytes);
        const long SqeOffset = 0x10000000;
        const int MapFlags = Sys.MapShared | Sys.MapPopulate;
        _entriesBytes = parameters.SqEntries * (nuint)Sqe.SizeInBytes;
        _mapping = MapOrThrow(kernel, _mappingBytes, MapFlags, descriptor, offset: 0);
        try
        {
            _entries = (Sqe*)MapOrThrow(kernel, _entriesBytes, MapFlags, descriptor, SqeOffset);
        }
        catch
        {
            _ = kernel.Unmap(_mapping, _mappingBytes);
            throw;
        }

        Sq = new SubmissionQueue(_mapping, _entries, parameters);
        Cq = new CompletionQueue(_mapping, parameters);
        _waitArgument = (GetEventsArgument*)NativeMemory.AllocZeroed((nuint)sizeof(GetEventsArgument));
        _waitTimeout = (KernelTimespec*)NativeMemory.AllocZeroed((nuint)sizeof(KernelTimespec));
        _enterFlags = EnterFlags.GetEvents | EnterFlags.ExtendedArgument;
        if ((Features & RingFeatureFlags.NoIoWait) != 0)
        {
            _enterFlags |= EnterFlags.NoIoWait;
        }
    }

    /// <summary>Answers the ring's calls.</summary>
    internal Kernel Kernel => _kernel;

    internal int Descriptor { get; private set; }

    internal SetupFlags Flags { get; }

    internal RingFeatureFlags Features { get; }

    internal SubmissionQueue Sq { get; }

    internal CompletionQueue Cq { get; }

    /// <summary>Calls of io_uring_enter so far.</summary>
    internal long Enters { get; private set; }

    /// <summary>Entries that the kernel took so far.</summary>
    internal long Submissions { get; private set; }

    /// <summary>Turns on which the completion queue had overflowed. Nothing is lost, but multishot operations end.</summary>
    internal long Overflows { get; private set; }

    /// <summary>Times that the submission queue was full and had to be submitted in the middle of a turn.</summary>
    internal long FullSubmissionQueues { get; private set; }

    /// <summary>Whether the ring descriptor itself is registered, which saves one look-up per enter. Linux 5.18.</summary>
    internal bool IsDescriptorRegistered => (_enterFlags & EnterFlags.RegisteredRing) != 0;

    /// <summary>Whether the kernel polls the network device before it sleeps.</summary>
    internal bool IsBusyPolling { get; private set; }

    internal bool IsDisposed => Descriptor < 0;

    /// <summary>The ring's modes, for the log.</summary>
    internal string Describe()
    {
        SetupFlags shown = Flags & ~(SetupFlags.Disabled | SetupFlags.Clamp | SetupFlags.CompletionQueueSize);
        string restriction = !_restrict ? "" : _listRefusal == 0 ? ", restricted" : ", restricted by its task";
        return $"{shown.ToString()}{restriction}{(IsDescriptorRegistered ? ", registered" : "")}"
            + $"{(Has(RingFeatureFlags.MinimumTimeout) ? ", minimum wait" : "")}{(Has(RingFeatureFlags.NoIoWait) ? ", no I/O wait" : "")}";

        bool Has(RingFeatureFlags feature) => (Features & feature) != 0;
    }

    /// <summary>Enables the ring. From here on, only the calling thread may use it.</summary>
    internal void Enable()
    {
        Check(_kernel.RingRegister(Descriptor, RegisterOpcode.EnableRings, null, 0), "io_uring_register(ENABLE_RINGS)");

        // uint.MaxValue requests a free index in the calling thread's table; the kernel writes it back.
        ResourceUpdate update = new() { Offset = uint.MaxValue, Data = (ulong)Descriptor };
        if (_kernel.RingRegister(Descriptor, RegisterOpcode.RingDescriptors, &update, 1) == 1)
        {
            _enterDescriptor = (int)update.Offset;
            _enterFlags |= EnterFlags.RegisteredRing;
        }
    }

    /// <summary>
    /// Submits an entry that does nothing and waits for its completion, as the loop does: a host that allows rings to be created may still refuse
    /// their use. Where the kernel refused the runtime's list of operations for another, each one that reactors need is tried.
    /// </summary>
    /// <exception cref="RingUnavailableException">The kernel refuses; the exception says why and what to do.</exception>
    internal void TryOut()
    {
        Try(Opcode.Nop);
        if (_listRefusal == Errno.EACCES && Answer(Opcode.OpenAt) != -Errno.EACCES)
        {
            // No list is in force, or one that lets everything pass: something else refused the runtime's own.
            throw new RingUnavailableException(Errno.EACCES, RestrictionsCall);
        }

        foreach (Opcode operation in _listRefusal == 0 ? [] : s_operations)
        {
            Try(operation);
        }
    }

    private void Try(Opcode operation)
    {
        if (Answer(operation) == -Errno.EACCES)
        {
            throw new RingUnavailableException(Errno.EACCES, $"{Refusal.OperationCall}{operation})");
        }
    }

    /// <summary>What the kernel answers to an operation without a descriptor, which has no effect. It looks at its list first.</summary>
    private int Answer(Opcode operation)
    {
        const long WaitNs = 100_000_000;
        long started = _kernel.Timestamp();
        Sqe* entry = NextEntry();
        entry->Opcode = operation;
        entry->Descriptor = -1;
        entry->Flags = FlagsTried(operation);
        while (Cq.Ready == 0)
        {
            int result = SubmitAndWait(1, WaitNs);
            if (result < 0 && result is not (-Errno.EINTR or -Errno.EAGAIN or -Errno.EBUSY or -Errno.ETIME))
            {
                throw new RingUnavailableException(-result, "io_uring_enter");
            }

            if (Cq.Ready == 0 && HasLostPatience(started))
            {
                throw new RingUnavailableException(Errno.ETIME, "io_uring_enter");
            }
        }

        int answer = Cq.Read().Result;
        Cq.Publish();
        return answer;
    }

    /// <summary>The flags of entries that reactors need, each with one operation. A chain of one entry is none.</summary>
    private static SqeFlags FlagsTried(Opcode operation) => operation switch
    {
        Opcode.Send => SqeFlags.HardLink,
        Opcode.Receive => SqeFlags.BufferSelect,
        _ => SqeFlags.None,
    };

    /// <summary>The next entry, zeroed. A full queue is submitted first; that never waits for completions.</summary>
    internal Sqe* NextEntry()
    {
        if (Sq.Free == 0)
        {
            FullSubmissionQueues++;
            MakeRoom(1);
        }

        return Sq.Take();
    }

    /// <summary>Makes room for <paramref name="count"/> entries, so that a chain is submitted as one.</summary>
    internal void Reserve(uint count)
    {
        Debug.Assert(count <= Sq.Capacity);
        if (Sq.Free < count)
        {
            FullSubmissionQueues++;
            MakeRoom(count);
        }
    }

    /// <summary>Submits every entry and waits.</summary>
    /// <param name="minComplete">Completions to wait for; 0 does not wait.</param>
    /// <param name="timeoutNs">The longest wait, in nanoseconds; negative means no limit.</param>
    /// <param name="minimumWaitUs">
    /// After this many microseconds one completion is enough. 0 turns it off; only with <see cref="RingFeatureFlags.MinimumTimeout"/>.
    /// </param>
    /// <returns>0 or above, or <c>-errno</c>: EINTR, ETIME, EAGAIN and EBUSY are normal.</returns>
    internal int SubmitAndWait(uint minComplete, long timeoutNs, uint minimumWaitUs = 0)
    {
        const long NanosecondsPerSecond = 1_000_000_000;
        const long FarAwaySeconds = 3600;
        Sq.Publish();
        *_waitArgument = default;
        if (minComplete > 0 && (timeoutNs >= 0 || minimumWaitUs > 0))
        {
            // A minimum wait without a time-out would return without completions at its end.
            _waitTimeout->Seconds = timeoutNs >= 0 ? timeoutNs / NanosecondsPerSecond : FarAwaySeconds;
            _waitTimeout->Nanoseconds = timeoutNs >= 0 ? timeoutNs % NanosecondsPerSecond : 0;
            _waitArgument->Timeout = (ulong)_waitTimeout;
            _waitArgument->MinimumWaitUs = minimumWaitUs;
        }

        Enters++;
        int result = _kernel.RingEnter(
            _enterDescriptor, Sq.Pending, minComplete, _enterFlags, _waitArgument, GetEventsArgument.SizeInBytes);
        if (result > 0)
        {
            Submissions += result;
        }

        if ((Sq.Flags & SubmissionQueueFlags.CompletionOverflow) != 0)
        {
            Overflows++;
        }

        return result;
    }

    /// <summary>Removes the ring from the calling thread's table of rings. The thread is its owner and ends.</summary>
    internal void ReleaseThread()
    {
        if (IsDescriptorRegistered)
        {
            ResourceUpdate update = new() { Offset = (uint)_enterDescriptor };
            _ = _kernel.RingRegister(Descriptor, RegisterOpcode.UnregisterRingDescriptors, &update, 1);
            _enterFlags &= ~EnterFlags.RegisteredRing;
            _enterDescriptor = Descriptor;
        }
    }

    /// <summary>Closes the ring. The kernel cancels operations in flight, so there must be none.</summary>
    public void Dispose()
    {
        if (IsDisposed)
        {
            return;
        }

        _ = _kernel.Unmap(_mapping, _mappingBytes);
        _ = _kernel.Unmap(_entries, _entriesBytes);
        CloseDescriptor();
        NativeMemory.Free(_waitArgument);
        NativeMemory.Free(_waitTimeout);
    }

    /// <summary>Ends the ring and keeps its memory, for a thread that may still read it. An enter then fails with EBADF.</summary>
    internal void CloseDescriptor()
    {
        _ = _kernel.Close(Descriptor);
        Descriptor = -1;
        _enterDescriptor = -1;
    }

    private void MakeRoom(uint count)
    {
        long started = _kernel.Timestamp();
        while (Sq.Free < count)
        {
            int result = SubmitAndWait(0, timeoutNs: 0);
            if (result < 0 && result is not (-Errno.EINTR or -Errno.EAGAIN or -Errno.EBUSY or -Errno.ETIME))
            {
                throw Errno.ToIOException(-result, "submit a full queue");
            }

            if (Sq.Free < count)
            {
                if (HasLostPatience(started))
                {
                    throw new IOException($"The kernel took no submission for {SubmitPatienceMs} ms.");
                }

                _kernel.Yield();
            }
        }
    }

    private bool HasLostPatience(long started) => _kernel.Timestamp() - started > SubmitPatienceMs * (Stopwatch.Frequency / 1000);

    /// <summary>The result of a call that rings need.</summary>
    /// <exception cref="RingUnavailableException">It is <c>-errno</c>.</exception>
    internal static int Check(int result, string call) => result >= 0 ? result : throw new RingUnavailableException(-result, call);

    /// <exception cref="RingUnavailableException">The kernel maps nothing.</exception>
    internal static byte* MapOrThrow(Kernel kernel, nuint length, int flags, int descriptor, long offset)
    {
        void* address = kernel.Map(length, Sys.ProtectRead | Sys.ProtectWrite, flags, descriptor, offset, out int errno);
        if (address is null)
        {
            throw new RingUnavailableException(errno, "mmap");
        }

        return (byte*)address;
    }
}
