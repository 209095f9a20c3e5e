using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.TestKit;

/// <summary>A kernel with faults: passes calls on, and now and then does what <see cref="Fault"/> lists instead.</summary>
/// <remarks>
/// It finds submission and completion queues by what passes through it when a ring is made, and edits entries that the
/// kernel has not taken yet. Threads: those of a group of reactors; what belongs to one ring is its reactor's alone.
/// </remarks>
internal unsafe class FaultyKernel : Kernel
{
    private const int MostFailuresInARow = 2;
    private const int SmallestBuffers = 64;

    [ThreadStatic]
    private static FaultyRing? s_ringOfThread;

    private readonly FaultRates _rates;
    private readonly FaultDice _dice;
    private readonly Lock _lock = new();
    private readonly ConcurrentDictionary<int, FaultyRing> _rings = new();
    private readonly ConcurrentDictionary<int, bool> _sharing = new();
    private int _failuresInARow;

    /// <param name="seed">Repeats the choices, as far as the order of calls is the same.</param>
    /// <param name="rates">How often each fault is injected.</param>
    /// <param name="counts">Counts what was injected; may be shared by several kernels.</param>
    internal FaultyKernel(ulong seed, FaultRates rates, FaultCounts? counts = null)
    {
        _rates = rates;
        _dice = new FaultDice(seed);
        Counts = counts ?? new FaultCounts();
    }

    internal FaultCounts Counts { get; }

    /// <summary>The kernel that calls are passed on to.</summary>
    internal Kernel Under { get; } = Of(ReactorGroup.TriedFirst);

    internal override KernelChoice Choice => Under.Choice;

    private FaultyRing? RingOfThread => s_ringOfThread is { } ring && ring.Kernel == this ? ring : null;

    internal override int RingSetup(uint entries, RingParams* parameters)
    {
        const SetupFlags Optional = SetupFlags.NoSubmissionArray;
        const RingFeatureFlags Newer = RingFeatureFlags.MinimumTimeout | RingFeatureFlags.NoIoWait;
        if (Fails(Fault.SetupNoMemory))
        {
            return -Errno.ENOMEM;
        }

        if ((parameters->Flags & Optional) != 0 && Injects(Fault.SetupInvalidFlags))
        {
            return -Errno.EINVAL;
        }

        if (Injects(Fault.SetupSmallQueues))
        {
            entries = Math.Min(entries, 8u << Below(4));
            parameters->CqEntries = Math.Min(parameters->CqEntries, entries * 2);
        }

        int ring = Under.RingSetup(entries, parameters);
        if (ring >= 0)
        {
            if (Injects(Fault.SetupOldFeatures))
            {
                parameters->Features &= ~Newer;
            }

            _rings[ring] = new FaultyRing(this, _rates, NextSeed(), *parameters);
        }

        return ring;
    }

    internal override void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
    {
        if (IsStarting && length > SmallestBuffers * BufferRingEntry.SizeInBytes && Fails(Fault.MapBuffersNoMemory))
        {
            error = Errno.ENOMEM;
            return null;
        }

        void* address = Under.Map(length, protection, flags, fd, offset, out error);
        if (address is not null && _rings.TryGetValue(fd, out FaultyRing? ring))
        {
            ring.Mapped((byte*)address, offset);
        }

        return address;
    }

    internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
    {
        if (opcode == RegisterOpcode.RingDescriptors && Injects(Fault.RegisterDescriptorInvalid))
        {
            return -Errno.EINVAL;
        }

        if (opcode == RegisterOpcode.BufferRing
            && CanDoWithout((BufferRingRegistration*)argument)
            && Fails(Fault.RegisterBuffersNoMemory))
        {
            return -Errno.ENOMEM;
        }

        int result = Under.RingRegister(fd, opcode, argument, count);
        if (opcode == RegisterOpcode.EnableRings && result >= 0)
        {
            s_ringOfThread = _rings[fd];
        }
        else if (opcode == RegisterOpcode.BufferRing && result >= 0)
        {
            _rings[fd].HasBuffers = true;
        }

        return result;
    }

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
    {
        FaultyRing ring = RingOfThread ?? throw new UnreachableException("A ring is entered by the thread that enabled it.");
        return ring.Enter(fd, toSubmit, minComplete, flags, (GetEventsArgument*)argument, argumentSize);
    }

    internal override int Close(int fd)
    {
        // Its number may be another's as soon as it is closed.
        _sharing.TryRemove(fd, out _);
        if (_rings.TryRemove(fd, out FaultyRing? ring))
        {
            ring.Dispose();
        }

        return Under.Close(fd);
    }

    internal override int SetSocketOption(int fd, int level, int option, void* value, uint length)
    {
        if (level == SocketConstants.LevelSocket && option == SocketConstants.OptionReusePort)
        {
            _sharing[fd] = true;
        }

        return Under.SetSocketOption(fd, level, option, value, length);
    }

    internal override int Bind(int fd, byte* address, uint length)
    {
        // Only the first socket of an endpoint is bound with patience; the others share its port.
        bool isInternet = *(ushort*)address != SocketConstants.FamilyUnix;
        return isInternet && !_sharing.ContainsKey(fd) && Fails(Fault.BindInUse)
            ? -Errno.EADDRINUSE
            : Under.Bind(fd, address, length);
    }

    internal override int Accept(int fd, int flags) => Fails(Fault.DrainAborted) ? -Errno.ECONNABORTED : Under.Accept(fd, flags);

    internal override int EventDescriptor()
        => RingOfThread is not null && Fails(Fault.LookTableFull) ? -Errno.EMFILE
            : Fails(Fault.EventNoMemory) ? -Errno.ENOMEM : Under.EventDescriptor();

    internal override int CountDescriptors() => RingOfThread is not null && Fails(Fault.CountUnknown) ? -Errno.ENOENT : Under.CountDescriptors();

    internal override int GetResourceLimit(int resource, ResourceLimit* limit)
    {
        const ulong Little = 16;
        int result = Under.GetResourceLimit(resource, limit);
        if (result >= 0 && resource == Sys.ResourceOpenFiles && RingOfThread is not null && Injects(Fault.LimitReached))
        {
            limit->Current = Math.Min(limit->Current, Little);
        }

        return result;
    }

    /// <summary>Whether the calling thread's ring makes its first receive buffers.</summary>
    private bool IsStarting => RingOfThread is { HasBuffers: false };

    /// <summary>Whether a smaller group is tried where this one is refused, or none is needed: that of large buffers.</summary>
    private bool CanDoWithout(BufferRingRegistration* group) => group->BufferGroup != 0 || (IsStarting && group->RingEntries > SmallestBuffers);

    private bool Injects(Fault fault)
    {
        lock (_lock)
        {
            if (!_dice.Hits(_rates[fault]))
            {
                return false;
            }
        }

        Counts.Add(fault);
        return true;
    }

    /// <summary>A fault that the runtime tries again after; not so often in a row that it would give up.</summary>
    private bool Fails(Fault fault)
    {
        lock (_lock)
        {
            if (_failuresInARow >= MostFailuresInARow || !_dice.Hits(_rates[fault]))
            {
                _failuresInARow = 0;
                return false;
            }

            _failuresInARow++;
        }

        Counts.Add(fault);
        return true;
    }

    private int Below(int bound)
    {
        lock (_lock)
        {
            return _dice.Below(bound);
        }
    }

    private ulong NextSeed()
    {
        lock (_lock)
        {
            return _dice.Next();
        }
    }
}
