namespace Ioxide;

/// <summary>A connection that lingers: its deadline, and its place among the reactor's others.</summary>
internal sealed class Linger : TimerEntry
{
    // Between two looks at whether a peer has acknowledged the end.
    private static readonly TimeSpan s_acknowledgementLook = TimeSpan.FromMilliseconds(10);

    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly long _deadline;

    internal Linger(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _deadline = _reactor.DueTick(connection.Options.LingerTimeout);
        Node = new LinkedListNode<Linger>(this);
        _reactor.Load.Lingering.Add(this);
        Wait();
    }

    internal LinkedListNode<Linger> Node { get; }

    // A protocol that waits for its peer's FIN does so at a stop, too.
    private bool IsHostWaiting => _connection is { WaitsForPeerFin: false, Listener.IsUnbound: true };

    internal override void OnDue()
    {
        if (IsHostWaiting)
        {
            Wait();
        }
        else
        {
            _connection.MarkDirty();
        }
    }

    /// <summary>Waits for the deadline. Once its listener has stopped, only until the peer's kernel has every byte and the FIN.</summary>
    internal void Wait()
    {
        _reactor.Timers.Remove(this);
        if (!IsHostWaiting)
        {
            _reactor.Timers.Add(this, _deadline);
        }
        else if (!HasPeerEverything() && _reactor.DueTick(TimeSpan.Zero) < _deadline)
        {
            _reactor.Timers.Add(this, Math.Min(_deadline, _reactor.DueTick(s_acknowledgementLook)));
        }
        else
        {
            _connection.MarkDirty();
        }
    }

    /// <summary>Ends lingering as the deadline would.</summary>
    internal void End()
    {
        _reactor.Timers.Remove(this);
        _connection.MarkDirty();
    }

    /// <summary>The connection closes.</summary>
    internal void Stop()
    {
        _reactor.Timers.Remove(this);
        _reactor.Load.Lingering.Remove(this);
    }

    /// <summary>A close now takes nothing from the peer: all bytes of this side and its FIN are acknowledged.</summary>
    /// <remarks>
    /// A unix socket hands over at once what is sent, and its close ends the peer's reads by a reset only where it leaves bytes unread (unix(7)).
    /// </remarks>
    private unsafe bool HasPeerEverything()
    {
        const byte FinWait2 = 5;
        byte* info = stackalloc byte[SocketConstants.TcpInfoBytes];
        uint length = SocketConstants.TcpInfoBytes;
        Kernel kernel = _reactor.Kernel;
        return kernel.GetSocketOption(_connection.Descriptor, SocketConstants.LevelTcp, SocketConstants.OptionTcpInfo, info, &length) switch
        {
            >= 0 => *info == FinWait2,
            -Errno.EOPNOTSUPP => kernel.BytesAvailable(_connection.Descriptor) == 0,
            _ => false,
        };
    }
}
