namespace Ioxide;

/// <summary>Accepts and stops from another thread, in place of a reactor that does not turn.</summary>
/// <remarks>
/// <para>The kernel distributes a port's connections over all of its listeners, whether or not their reactors turn. The connections of a stuck
/// reactor wait in its listener's queue: the ring's accept takes nothing until the thread enters the kernel. So another thread takes them
/// by accept(2) and posts them to turning reactors. The listener stays in its group and the ring's accept stays armed, so
/// nothing must be undone when the reactor turns again.</para>
/// <para>Alternatives, as seen on Linux 6.18: shutdown(2) takes a listener out of the group and resets its waiting connections (22 of 40).
/// listen(fd, 0) leaves it in the group. A program by SO_ATTACH_REUSEPORT_CBPF works, but it names listeners by their place
/// in the group, stays with the group when its process ends, and steers the listeners of a process that takes over the port. Neither
/// helps a unix socket or a single listener.</para>
/// </remarks>
internal sealed unsafe partial class Acceptor
{
    // Connections accepted in one go; the next look accepts the rest.
    private const int RescueBatch = 256;

    /// <summary>Accepts the waiting connections and hands them to turning reactors. Threads: any but the reactor's.</summary>
    internal void Rescue()
    {
        for (int count = 0; count < RescueBatch; count++)
        {
            if (listener.Group.LeastLoaded(except: reactor) is not { } target || !TryRescueOne(target))
            {
                return;
            }
        }
    }

    /// <summary>
    /// Stops listening before the reactor does: hands over waiting connections, even to the reactor itself if no other turns, and shuts the
    /// socket down. The posted stop closes it when the reactor turns. Threads: any but the reactor's.
    /// </summary>
    internal void StopFromOutside()
    {
        if (listener.IsAdopted)
        {
            // The socket's owner may still accept from it.
            return;
        }

        for (int count = 0; count < listener.Backlog; count++)
        {
            if (!TryRescueOne(listener.Group.LeastLoaded(except: reactor) ?? reactor))
            {
                break;
            }
        }

        _listening.ShutDown();
    }

    /// <summary>False if nothing waits, or nothing can be accepted now.</summary>
    private bool TryRescueOne(Reactor target)
    {
        int accepted = AcceptNow();
        if (accepted < 0)
        {
            return accepted == -Errno.ECONNABORTED;
        }

        listener.NoteAccepted();
        if (TryHandOver(target, accepted) || TryHandOver(reactor, accepted))
        {
            reactor.Counters.CountRescued();
        }
        else
        {
            // Both have ended, and the listener with them.
            _ = reactor.Kernel.Close(accepted);
            listener.NoteFirstRead();
        }

        return true;
    }

    /// <summary>A waiting connection, or <c>-errno</c>. Threads: any.</summary>
    private int AcceptNow() => HasRoom(ReservedShare) ? _listening.AcceptNow() : -Errno.EAGAIN;
}
