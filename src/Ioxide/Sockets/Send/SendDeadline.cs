namespace Ioxide;

/// <summary>Watches a send in flight. The kernel knows its progress, so it is asked only when the time is over.</summary>
internal sealed unsafe class SendDeadline(RingConnection connection) : TimerEntry
{
    private TimeSpan _timeout;
    private ulong _taken;

    internal void Start(TimeSpan timeout)
    {
        _timeout = timeout;
        _taken = BytesTaken();
        connection.Reactor.Timers.Add(this, connection.Reactor.DueTick(timeout));
    }

    internal void Stop() => connection.Reactor.Timers.Remove(this);

    internal override void OnDue()
    {
        ulong taken = BytesTaken();
        if (taken != _taken)
        {
            _taken = taken;
            connection.Reactor.Timers.Add(this, connection.Reactor.DueTick(_timeout));
            return;
        }

        connection.AbortOnReactor(
            CloseReason.TimedOut, new TimeoutException($"The peer took no byte for {_timeout.TotalSeconds:0.###} seconds."));
    }

    /// <summary>Bytes acknowledged by the peer so far. A unix socket has no such count, so there the whole send is bounded.</summary>
    private ulong BytesTaken()
    {
        const int AcknowledgedOffset = 120;
        byte* info = stackalloc byte[SocketConstants.TcpInfoBytes];
        uint length = SocketConstants.TcpInfoBytes;
        int result = connection.Reactor.Kernel.GetSocketOption(
            connection.Descriptor, SocketConstants.LevelTcp, SocketConstants.OptionTcpInfo, info, &length);
        return result < 0 || length < AcknowledgedOffset + sizeof(ulong) ? 0 : *(ulong*)(info + AcknowledgedOffset);
    }
}
