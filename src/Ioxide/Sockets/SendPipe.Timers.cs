using System.Diagnostics;

namespace Ioxide;

/// <summary>The pause when the kernel has no memory for a send (ENOBUFS, ENOMEM), and the deadline for a peer that takes nothing.</summary>
public sealed unsafe partial class SendPipe
{
    private SendPause? _pause;
    private SendDeadline? _deadline;

    /// <summary>How long the next pause lasts, in milliseconds.</summary>
    internal int NextPauseMs => _pause?.NextMs ?? SendPause.FirstMs;

    /// <summary>The connection is about to be closed.</summary>
    internal void StopTimers()
    {
        EndPause();
        _deadline?.Stop();
    }

    /// <summary>Runs on through pauses: only bytes that the peer took count, not attempts.</summary>
    private void StartDeadline()
    {
        if (_connection.Options.SendTimeout is { } timeout && _deadline is not { IsScheduled: true })
        {
            (_deadline ??= new SendDeadline(_connection)).Start(timeout);
        }
    }

    /// <summary>The kernel had no memory: the queue is sent again after a pause. An aborted connection has no queue any more.</summary>
    private void Pause()
    {
        Debug.Assert(_operation == Operation.Idle);
        if (_queueHead is not null)
        {
            _operation = Operation.Paused;
            _reactor.SendPauses++;
            StartDeadline();
            (_pause ??= new SendPause(this)).Start();
        }
    }

    private void EndPause()
    {
        if (_operation == Operation.Paused)
        {
            _operation = Operation.Idle;
            _reactor.Timers.Remove(_pause!);
        }
    }

    /// <summary>The time between two attempts to send while the kernel has no memory.</summary>
    private sealed class SendPause(SendPipe pipe) : TimerEntry
    {
        internal const int FirstMs = 1;
        private const int LongestMs = 64;

        internal int NextMs { get; private set; } = FirstMs;

        internal void Start()
        {
            pipe._reactor.Timers.Add(this, pipe._reactor.DueTick(TimeSpan.FromMilliseconds(NextMs)));
            NextMs = Math.Min(NextMs * 2, LongestMs);
        }

        /// <summary>The kernel took bytes: it has memory again.</summary>
        internal void Reset() => NextMs = FirstMs;

        internal override void OnDue()
        {
            pipe.EndPause();
            pipe._connection.MarkDirty();
        }
    }

    /// <summary>Watches a send in flight. The kernel knows its progress, so it is asked only when the time is over.</summary>
    private sealed class SendDeadline(RingConnection connection) : TimerEntry
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
}
