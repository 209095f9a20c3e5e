namespace Ioxide.Simulation;

/// <summary>What happens outside of the kernel: time goes on, peers act, other threads run.</summary>
internal abstract class KernelHost
{
    /// <summary>When the next thing happens, in nanoseconds of the kernel's clock; null where nothing will.</summary>
    internal abstract long? NextEventNs { get; }

    /// <summary>Lets everything happen that is due by now.</summary>
    internal abstract void RunDueEvents();

    /// <summary>The reactor asked for the time, or gave the processor away: other threads may run here.</summary>
    internal virtual void Interleave()
    {
    }

    /// <summary>The reactor waits: there must be nothing that it could do instead.</summary>
    internal virtual void Waits()
    {
    }

    /// <summary>The reactor waits, and nothing will ever happen. Ends the run one way or another.</summary>
    internal abstract void NothingWillHappen();

    /// <summary>A connect was submitted.</summary>
    internal virtual void ConnectStarted(Operation operation, int port)
    {
    }

    internal virtual void Marked(string mark)
    {
    }

    internal abstract void Violated(string what);
}
