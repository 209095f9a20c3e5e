namespace Ioxide;

/// <summary>Creating a ring: dropping unsupported flags, retries while memory is short, restrictions, the probe.</summary>
internal sealed unsafe partial class Ring
{
    // Memory of closed rings is returned some 27 ms later, so an ENOMEM may be temporary.
    internal const int MemoryAttempts = 10;
    internal const int MemoryRetryMs = 20;
    private const uint SmallestSqEntries = 64;
    private const uint SmallestCqEntries = 256;

    // What Linux 6.1 has. A newer flag is left out where the kernel answers EINVAL.
    private const SetupFlags FlagsOfFloor = SetupFlags.Disabled | SetupFlags.SubmitAll | SetupFlags.Clamp | SetupFlags.CompletionQueueSize
        | SetupFlags.SingleIssuer | SetupFlags.DeferTaskRun;

    private const string RestrictionsCall = "io_uring_register(RESTRICTIONS)";

    private static readonly Opcode[] s_operations =
    [
        Opcode.Nop, Opcode.PollAdd, Opcode.SendMessage, Opcode.Accept, Opcode.AsyncCancel, Opcode.Connect, Opcode.Close,
        Opcode.Read, Opcode.Send, Opcode.Receive,
    ];

    // The last one is newer than Linux 6.1.
    private static readonly RegisterOpcode[] s_registrations =
    [
        RegisterOpcode.RingDescriptors, RegisterOpcode.UnregisterRingDescriptors, RegisterOpcode.BufferRing,
        RegisterOpcode.UnregisterBufferRing, RegisterOpcode.Napi,
    ];

    /// <summary>Creates a ring, still disabled, and maps it.</summary>
    /// <param name="options">Sizes and modes. On ENOMEM, smaller sizes are tried before the error is raised.</param>
    /// <param name="kernel">Answers the calls; null for Linux.</param>
    /// <exception cref="RingUnavailableException">The kernel refuses; the exception says why and what to do.</exception>
    internal static Ring Create(in RingOptions options, Kernel? kernel = null)
    {
        kernel ??= Kernel.Linux;
        if (!OperatingSystem.IsLinux() || sizeof(nint) != sizeof(long))
        {
            throw new RingUnavailableException(Refusal.OfPlatform(), 0, RingUnavailableException.Platform);
        }

        RingParams parameters = default;
        int descriptor = Setup(kernel, options, ref parameters);
        Ring? ring = null;
        try
        {
            ring = new Ring(kernel, descriptor, parameters, options.Restrict);
            ring.CheckOperations();
            ring.RegisterRestrictions();
            return ring;
        }
        catch
        {
            if (ring is null)
            {
                _ = kernel.Close(descriptor);
            }

            ring?.Dispose();
            throw;
        }
    }

    private static int Setup(Kernel kernel, in RingOptions options, ref RingParams parameters)
    {
        uint sqEntries = options.SqEntries;
        uint cqEntries = options.CqEntries;
        while (true)
        {
            int result = SetupWithPatience(kernel, sqEntries, cqEntries, ref parameters);
            if (result >= 0)
            {
                return result;
            }

            bool canShrink = sqEntries > SmallestSqEntries || cqEntries > SmallestCqEntries;
            if (result != -Errno.ENOMEM || !canShrink)
            {
                throw new RingUnavailableException(-result, kernel.SetupCall);
            }

            sqEntries = Math.Max(sqEntries / 2, Math.Min(sqEntries, SmallestSqEntries));
            cqEntries = Math.Max(cqEntries / 2, Math.Min(cqEntries, SmallestCqEntries));
        }
    }

    private static int SetupWithPatience(
        Kernel kernel, uint sqEntries, uint cqEntries, ref RingParams parameters)
    {
        int result = -Errno.ENOMEM;
        for (int attempt = 0; attempt < MemoryAttempts && result == -Errno.ENOMEM; attempt++)
        {
            if (attempt > 0)
            {
                kernel.Sleep(MemoryRetryMs);
            }

            result = Setup(kernel, sqEntries, cqEntries, FlagsOfFloor | SetupFlags.NoSubmissionArray, ref parameters);
            if (result == -Errno.EINVAL)
            {
                result = Setup(kernel, sqEntries, cqEntries, FlagsOfFloor, ref parameters);
            }
        }

        return result;
    }

    private static int Setup(Kernel kernel, uint sqEntries, uint cqEntries, SetupFlags flags, ref RingParams parameters)
    {
        parameters = new RingParams { CqEntries = cqEntries, Flags = flags };
        fixed (RingParams* pointer = &parameters)
        {
            return kernel.RingSetup(sqEntries, pointer);
        }
    }

    private void CheckOperations()
    {
        const RingFeatureFlags Needed =
            RingFeatureFlags.SingleMapping | RingFeatureFlags.NoDrop | RingFeatureFlags.ExtendedArgument;
        OperationProbe probe = default;
        int result = _kernel.RingRegister(Descriptor, RegisterOpcode.Probe, &probe, OperationProbe.MaxOperations);
        bool complete = result >= 0 && (Features & Needed) == Needed;
        foreach (Opcode operation in s_operations)
        {
            complete &= probe.Supports(operation);
        }

        if (!complete)
        {
            throw new RingUnavailableException(Math.Max(0, -result), "io_uring_register(PROBE)");
        }
    }

    /// <summary>A seccomp filter cannot see the operations of a ring; the ring itself can refuse them.</summary>
    /// <remarks>
    /// A kernel refuses the whole list with EINVAL where it does not know one call of it, and keeps nothing of it. Where the ring has a list of its
    /// task (Linux 7.0), it answers EBUSY, or EACCES if that one forbids a second; <see cref="TryOut"/> finds out whether the list suffices.
    /// </remarks>
    private void RegisterRestrictions()
    {
        if (!_restrict)
        {
            return;
        }

        int result = RegisterRestrictions(s_registrations);
        if (result == -Errno.EINVAL)
        {
            result = RegisterRestrictions(s_registrations.AsSpan()[..^1]);
        }

        if (result is -Errno.EBUSY or -Errno.EACCES)
        {
            _listRefusal = -result;
            return;
        }

        Check(result, RestrictionsCall);
    }

    private int RegisterRestrictions(ReadOnlySpan<RegisterOpcode> registrations)
    {
        int count = s_operations.Length + registrations.Length + 1;
        RingRestriction* restrictions = stackalloc RingRestriction[count];
        RingRestriction* next = restrictions;
        foreach (Opcode operation in s_operations)
        {
            *next++ = new RingRestriction { Opcode = RingRestriction.AllowOperation, Value = (byte)operation };
        }

        foreach (RegisterOpcode registration in registrations)
        {
            *next++ = new RingRestriction { Opcode = RingRestriction.AllowRegister, Value = (byte)registration };
        }

        *next = new RingRestriction
        {
            Opcode = RingRestriction.AllowFlags,
            Value = (byte)(SqeFlags.HardLink | SqeFlags.BufferSelect),
        };
        return _kernel.RingRegister(Descriptor, RegisterOpcode.Restrictions, restrictions, (uint)count);
    }

    /// <summary>Polls the network device for the given time before a sleep. Returns 0 or <c>-errno</c>. Linux 6.9.</summary>
    internal int EnableBusyPoll(uint microseconds)
    {
        NapiRegistration registration = new() { BusyPollUs = microseconds, PreferBusyPoll = 1 };
        int result = Kernel.RingRegister(Descriptor, RegisterOpcode.Napi, &registration, 1);
        IsBusyPolling = result >= 0;
        return result;
    }
}
