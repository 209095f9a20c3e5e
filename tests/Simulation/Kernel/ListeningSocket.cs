namespace Ioxide.Simulation;

/// <summary>A socket that is bound, listens, and keeps who waits to be accepted.</summary>
internal sealed class ListeningSocket(KernelHost host) : SimulatedFile
{
    internal Queue<StreamSocket> Backlog { get; } = new();

    internal int Port { get; set; }

    internal bool IsClosed { get; private set; }

    /// <summary>It was shut down: it listens no more, and an accept ends with EINVAL.</summary>
    internal bool IsShutDown { get; private set; }

    /// <summary>Clients that still wait are reset.</summary>
    internal void ShutDown()
    {
        IsShutDown = true;
        ResetWaiting();
    }

    /// <summary>Clients that still wait are reset.</summary>
    protected override void Release()
    {
        IsClosed = true;
        ResetWaiting();
    }

    private void ResetWaiting()
    {
        if (Backlog.Count > 0)
        {
            host.ClosedOverClients(Backlog.Count);
        }

        while (Backlog.TryDequeue(out StreamSocket? socket))
        {
            socket.ResetByKernel();
        }
    }
}
