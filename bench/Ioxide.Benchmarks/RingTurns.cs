using System.Runtime.InteropServices;

namespace Ioxide.Benchmarks;

/// <summary>Turns that submit no-ops and take their completions, by two ways into the kernel.</summary>
internal sealed unsafe class RingTurns(Ring ring, uint batch)
{
    private readonly GetEventsArgument* _argument =
        (GetEventsArgument*)NativeMemory.AllocZeroed(GetEventsArgument.SizeInBytes);

    internal void ThroughKernel()
    {
        Prepare();
        ring.Sq.Publish();
        Check(ring.Kernel.RingEnter(
            ring.Descriptor, batch, batch, EnterFlags.GetEvents | EnterFlags.ExtendedArgument, _argument, GetEventsArgument.SizeInBytes));
        TakeCompletions();
    }

    internal void Straight()
    {
        Prepare();
        ring.Sq.Publish();
        Check(Kernel.Linux.RingEnter(
            ring.Descriptor, batch, batch, EnterFlags.GetEvents | EnterFlags.ExtendedArgument, _argument, GetEventsArgument.SizeInBytes));
        TakeCompletions();
    }

    private void Prepare()
    {
        for (uint entry = 0; entry < batch; entry++)
        {
            ring.NextEntry()->Opcode = Opcode.Nop;
        }
    }

    private void TakeCompletions()
    {
        while (ring.Cq.Ready > 0)
        {
            _ = ring.Cq.Read();
        }

        ring.Cq.Publish();
    }

    private void Check(int submitted)
    {
        if (submitted != batch)
        {
            throw new InvalidOperationException($"The kernel took {submitted} of {batch} entries.");
        }
    }
}
