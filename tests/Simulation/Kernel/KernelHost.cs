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

    /// <summary>The calling reactor reads the clock or gives its processor away, and holds no lock: others may turn here.</summary>
    internal virtual void MayTurnOthers()
    {
    }

    /// <summary>A reactor waits, and there is nothing for it: others may turn meanwhile.</summary>
    /// <param name="untilNs">To when time is to move, where nothing else happens; another reactor's wait may be over before.</param>
    internal virtual Waiting WaitAmongOthers(ref long untilNs) => Waiting.TimePasses;

    /// <summary>The reactor waits, and nothing will ever happen. Ends the run one way or another.</summary>
    internal abstract void NothingWillHappen();

    /// <summary>The context of the thread pool; null where there is none but the process's.</summary>
    internal virtual SynchronizationContext? ThreadPoolContext => null;

    /// <summary>The reactor has let go of everything: it calls the kernel no more.</summary>
    internal virtual bool IsReactorOver => false;

    /// <summary>Whether the ring fails now, for good.</summary>
    internal virtual bool BreaksRing() => false;

    /// <summary>A managed wait goes on in which nothing turns the ring.</summary>
    internal virtual void WaitsPlainly()
    {
    }

    /// <summary>A connect was submitted.</summary>
    internal virtual void ConnectStarted(Operation operation, int port)
    {
    }

    /// <summary>A receive names a group of buffers that is not registered. Linux says ENOBUFS.</summary>
    internal virtual void UnknownGroupNamed(ushort group)
    {
    }

    /// <summary>A receive that waited for a buffer is armed behind one that began to wait later.</summary>
    internal virtual void StarvedWasPassed(StreamSocket socket)
    {
    }

    /// <summary>A worker reads a file: <see cref="SimulatedKernel.FinishRead"/> is called some time later.</summary>
    internal virtual void ReadStarted()
    {
    }

    /// <summary>A listener is closed, and clients wait to be accepted: they are reset.</summary>
    internal virtual void ClosedOverClients(int count)
    {
    }

    internal virtual void Marked(string mark)
    {
    }

    internal abstract void Violated(string what);
}
