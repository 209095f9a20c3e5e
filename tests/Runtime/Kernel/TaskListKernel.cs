namespace Ioxide.Tests;

/// <summary>Linux in a task that may use these operations of a ring and no others: each ring has the list from the beginning. Linux 7.0.</summary>
/// <remarks>A list may be given once per ring, so the kernel itself refuses a second one.</remarks>
internal sealed unsafe class TaskListKernel(Opcode[] operations, SqeFlags flags = SqeFlags.HardLink | SqeFlags.BufferSelect) : Kernel
{
    /// <summary>The list leaves out the call that gives a ring a list.</summary>
    internal bool ForbidsLists { get; init; }

    private static readonly RegisterOpcode[] s_registrations =
        [RegisterOpcode.RingDescriptors, RegisterOpcode.UnregisterRingDescriptors, RegisterOpcode.BufferRing, RegisterOpcode.UnregisterBufferRing];

    internal override int RingSetup(uint entries, RingParams* parameters)
    {
        int ring = base.RingSetup(entries, parameters);
        if (ring >= 0)
        {
            RingRestriction[] list =
            [
                .. operations.Select(operation => new RingRestriction { Opcode = RingRestriction.AllowOperation, Value = (byte)operation }),
                .. s_registrations.Select(call => new RingRestriction { Opcode = RingRestriction.AllowRegister, Value = (byte)call }),
                new RingRestriction { Opcode = RingRestriction.AllowFlags, Value = (byte)flags },
            ];
            fixed (RingRestriction* first = list)
            {
                Assert.Equal(0, base.RingRegister(ring, RegisterOpcode.Restrictions, first, (uint)list.Length));
            }
        }

        return ring;
    }

    internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        => ForbidsLists && opcode == RegisterOpcode.Restrictions ? -Errno.EACCES : base.RingRegister(fd, opcode, argument, count);
}
