namespace Ioxide;

/// <summary>Accepting and stopping in place of a reactor that does not turn, from another thread.</summary>
/// <remarks>
/// <para>The kernel hands a port's connections to all of its listeners, whether their reactors turn or not. What a stuck reactor's
/// listener is given waits in its queue: the ring's accept takes nothing until the thread enters the kernel. So another thread takes it
/// from there by accept(2) and posts it to reactors that turn. The listener stays in its group and the ring's accept stays armed, which
/// leaves nothing to undo when the reactor turns again.</para>
/// <para>Other ways were tried on Linux 6.18. shutdown(2) takes a listener out of the group and resets what waits in its queue (22 of 40
/// connections). listen(fd, 0) leaves it in the group. A program by SO_ATTACH_REUSEPORT_CBPF works, but it names listeners by their place
/// in the group, stays with the group when its process ends, and steers the listeners of a process that takes the port over. Neither
/// helps a unix socket or a single listener.</para>
/// </remarks>
public sealed partial class RingListener
{
    internal sealed unsafe partial class Acceptor
    {
        // Connections taken in one go; what is left is taken at the next look.
        private const int RescueBatch = 256;

        // Guards the descriptor's number against its close while another thread uses it, and its mode while one accepts.
        private RuntimeLock _descriptorLock;
        private volatile bool _isShutDown;

        /// <summary>Takes the connections that wait and hands them to reactors that turn. Threads: any but the reactor's.</summary>
        internal void Rescue()
        {
            for (int count = 0; count < RescueBatch; count++)
            {
                if (listener._group.LeastLoaded(except: reactor) is not { } target || !TryRescueOne(target))
                {
                    return;
                }
            }
        }

        /// <summary>
        /// Ends listening before the reactor does: hands over what waits, also to the reactor itself where no other turns, and shuts the
        /// socket down. The posted stop closes it when the reactor turns. Threads: any but the reactor's.
        /// </summary>
        internal void StopFromOutside()
        {
            if (listener._isAdopted)
            {
                // Whoever handed the socket in may still accept from it.
                return;
            }

            for (int count = 0; count < listener._options.Backlog; count++)
            {
                if (!TryRescueOne(listener._group.LeastLoaded(except: reactor) ?? reactor))
                {
                    break;
                }
            }

            _descriptorLock.Enter();
            if (descriptor >= 0)
            {
                // The accept in the ring then ends with an error that must not arm it again.
                _isShutDown = true;
                _ = reactor.Kernel.Shutdown(descriptor, SocketConstants.ShutdownBoth);
            }

            _descriptorLock.Exit();
        }

        /// <summary>False where nothing waits, or nothing can be accepted now.</summary>
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
                reactor.CountRescued();
            }
            else
            {
                // Both have ended, and the listener with them.
                _ = reactor.Kernel.Close(accepted);
                listener.NoteBegun();
            }

            return true;
        }

        /// <summary>A connection that waits, or <c>-errno</c>. Threads: any.</summary>
        private int AcceptNow()
        {
            _descriptorLock.Enter();
            try
            {
                return descriptor >= 0 && HasRoom()
                    ? reactor.Kernel.AcceptNow(descriptor, SocketConstants.CloseOnExec)
                    : -Errno.EAGAIN;
            }
            finally
            {
                _descriptorLock.Exit();
            }
        }
    }
}
