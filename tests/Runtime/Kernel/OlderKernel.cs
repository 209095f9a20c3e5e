namespace Ioxide.Tests;

/// <summary>What this kernel has and an older one lacks.</summary>
public enum NewerFeature
{
    /// <summary>Linux 6.6.</summary>
    NoSubmissionArray,

    /// <summary>Linux 5.18.</summary>
    RegisteredDescriptor,

    /// <summary>Linux 6.12 and 6.15.</summary>
    WaitFeatures,

    /// <summary>Linux 6.2.</summary>
    DescriptorCount,

    /// <summary>Linux 6.9. An older one refuses restrictions that name it.</summary>
    BusyPoll,
}

/// <summary>Linux without one feature, refused as a kernel refuses it that does not know it.</summary>
internal sealed unsafe class OlderKernel(NewerFeature missing) : Kernel
{
    private int _refusals;

    /// <summary>How often the feature was asked for or shown to be missing.</summary>
    internal int Refusals => Volatile.Read(ref _refusals);

    internal override int RingSetup(uint entries, RingParams* parameters)
    {
        if (missing == NewerFeature.NoSubmissionArray && (parameters->Flags & SetupFlags.NoSubmissionArray) != 0)
        {
            return Refuse(Errno.EINVAL);
        }

        int result = base.RingSetup(entries, parameters);
        if (missing == NewerFeature.WaitFeatures)
        {
            _ = Refuse(0);
            parameters->Features &= ~(RingFeatureFlags.MinimumTimeout | RingFeatureFlags.NoIoWait);
        }

        return result;
    }

    internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        => (missing == NewerFeature.RegisteredDescriptor && opcode == RegisterOpcode.RingDescriptors)
            || (missing == NewerFeature.BusyPoll && (opcode == RegisterOpcode.Napi || NamesBusyPoll(opcode, argument, count)))
            ? Refuse(Errno.EINVAL)
            : base.RingRegister(fd, opcode, argument, count);

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
    {
        const EnterFlags Newest = EnterFlags.NoIoWait;
        bool hasNewFlag = missing == NewerFeature.WaitFeatures && (flags & Newest) != 0;
        bool hasNewArgument = missing == NewerFeature.WaitFeatures && ((GetEventsArgument*)argument)->MinimumWaitUs != 0;
        bool isIndex = missing == NewerFeature.RegisteredDescriptor && (flags & EnterFlags.RegisteredRing) != 0;
        return hasNewFlag || hasNewArgument || isIndex
            ? -Errno.EINVAL
            : base.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);
    }

    internal override int CountDescriptors() => missing == NewerFeature.DescriptorCount ? Refuse(Errno.ENOSYS) : base.CountDescriptors();

    private static bool NamesBusyPoll(RegisterOpcode opcode, void* argument, uint count)
    {
        bool names = false;
        for (uint i = 0; opcode == RegisterOpcode.Restrictions && i < count; i++)
        {
            RingRestriction restriction = ((RingRestriction*)argument)[i];
            names |= restriction.Opcode == RingRestriction.AllowRegister && restriction.Value >= (byte)RegisterOpcode.Napi;
        }

        return names;
    }

    private int Refuse(int errno)
    {
        Interlocked.Increment(ref _refusals);
        return -errno;
    }
}
