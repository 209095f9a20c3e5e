using System.Diagnostics;

namespace Ioxide;

/// <summary>Sending: one send in flight, which takes all that was queued when it was made.</summary>
/// <remarks>
/// Where the kernel has no memory for a send (ENOBUFS, ENOMEM), the queue waits for a timer: 1, 2, 4 ... 64 ms. Nothing is in flight then, so the
/// queue's memory is the connection's; an abort drops it and closes at once. <see cref="RingConnectionOptions.SendTimeout"/> runs on meanwhile.
/// </remarks>
public sealed unsafe partial class RingConnection
{
    // Larger sends may have to wait for the peer, so they do not count as surely complete.
    private const long QuickSendBytes = 16 * 1024;

    private SendVectors? _vectors;
    private long _sendBytes;
    private bool _isSending;
    private bool _hasSent;
    private SendDeadline? _sendDeadline;
    private SendPause? _sendPause;
    private TaskCompletionSource? _sendIdle;

    /// <summary>A layer that the application writes to in place of <see cref="Output"/>, such as TLS; null where there is none.</summary>
    internal ISendLayer? SendLayer { get; set; }

    /// <summary>The kernel encrypts what is sent.</summary>
    internal bool SendsInKernelTls { get; set; }

    /// <summary>Everything that was flushed is in the kernel's hands. Only on the reactor.</summary>
    internal bool IsSendIdle => !_isSending && Output.QueueHead is null && _closeStage == CloseStage.Open && !_isAborted;

    /// <summary>Completes when all that was flushed is in the kernel's hands, or the connection is aborted. Only on the reactor.</summary>
    internal Task WhenSendIdle()
    {
        Debug.Assert(Reactor.IsCurrent);
        return IsSendIdle || _isAborted || _closeStage != CloseStage.Open
            ? Task.CompletedTask
            : (_sendIdle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>The end of a turn in which something was flushed, completed or closed.</summary>
    internal void EndTurn()
    {
        // What the layer queues here belongs to this very end of turn.
        SendLayer?.EndTurn();
        _isDirty = false;
        if (_isSending || _closeStage >= CloseStage.Closing)
        {
            return;
        }

        if (Output.QueueHead is not null)
        {
            if (_sendPause is { IsScheduled: true })
            {
                return;
            }

            if (!TrySendPages())
            {
                SubmitSend();
            }

            if (_isSending || Output.QueueHead is not null)
            {
                return;
            }

            NotifySendIdle();
        }

        // Of a pause whose queue went out by a call, or was dropped.
        _sendDeadline?.Stop();
        AdvanceClose();
    }

    private void SubmitSend()
    {
        Debug.Assert(!_isSending);
        MemoryBlock first = Output.QueueHead!;
        MemoryBlock last = first;
        if (first.RecordType == 0 && (first.Next is null or { RecordType: not 0 } || IsForPages(first.Next)))
        {
            _sendBytes = first.Length;
            Sqe* entry = PrepareSend(Opcode.Send);
            entry->Address = (ulong)(first.Pointer + first.Start);
            entry->Length = (uint)first.Length;
        }
        else
        {
            last = FillVectors(first);
            Sqe* entry = PrepareSend(Opcode.SendMessage);
            entry->Address = (ulong)_vectors!.Header;
            entry->Length = 1;
        }

        Output.MarkInFlight(last);
        BeginSending();
        if (_sendBytes <= QuickSendBytes)
        {
            Reactor.CountQuickSend();
        }
    }

    /// <summary>An operation is in flight that ends in <see cref="SendCompleted"/>.</summary>
    private void BeginSending()
    {
        _isSending = true;
        StartSendDeadline();
    }

    /// <summary>Runs on through pauses: what counts is what the peer took, not how often it was tried.</summary>
    private void StartSendDeadline()
    {
        if (Options.SendTimeout is { } timeout && _sendDeadline is not { IsScheduled: true })
        {
            (_sendDeadline ??= new SendDeadline(this)).Start(timeout);
        }
    }

    /// <summary>The kernel had no memory: the queue is tried again after a while. An aborted connection has no queue any more.</summary>
    private void PauseSending()
    {
        if (Output.QueueHead is not null && !_isAborted)
        {
            Reactor.SendPauses++;
            StartSendDeadline();
            (_sendPause ??= new SendPause(this)).Start();
        }
    }

    private Sqe* PrepareSend(Opcode opcode)
    {
        Sqe* entry = Reactor.Prepare(OperationKind.Send, _slotIndex);
        entry->Opcode = opcode;
        entry->Descriptor = _descriptor;

        // The kernel's TLS refuses to wait for all; what is left goes out with the next send.
        entry->OperationFlags = SocketConstants.MessageNoSignal | (SendsInKernelTls ? 0 : SocketConstants.MessageWaitAll);
        return entry;
    }

    private MemoryBlock FillVectors(MemoryBlock first)
    {
        _vectors = Reactor.RentVectors();
        IoVector* vector = _vectors.Vectors;
        int count = 0;
        long bytes = 0;
        MemoryBlock last = first;
        for (MemoryBlock? block = first; block is not null && count < SendVectors.MaxVectors; block = block.Next)
        {
            // One operation must stay below 2^31 bytes; a record of another type than data goes alone.
            // What goes by its pages waits for its own call.
            if (bytes + block.Length > int.MaxValue
                || (count > 0 && (block.RecordType != 0 || first.RecordType != 0 || IsForPages(block))))
            {
                break;
            }

            vector[count].Base = (ulong)(block.Pointer + block.Start);
            vector[count].Length = (ulong)block.Length;
            bytes += block.Length;
            count++;
            last = block;
        }

        *_vectors.Header = new MessageHeader { Vectors = (ulong)vector, VectorCount = (ulong)count };
        if (first.RecordType != 0)
        {
            _vectors.SetRecordType(first.RecordType);
        }

        _sendBytes = bytes;
        return last;
    }

    private void SendCompleted(int result)
    {
        _isSending = false;
        bool isShortOfMemory = -result is Errno.ENOBUFS or Errno.ENOMEM;
        if (!isShortOfMemory)
        {
            _sendDeadline?.Stop();
        }

        if (_isAwaitingRoom)
        {
            // It was a poll: what it returns above 0 are events.
            _isAwaitingRoom = false;
            result = Math.Min(result, 0);
        }

        if (_vectors is { } vectors)
        {
            _vectors = null;
            Reactor.ReturnVectors(vectors);
        }

        Output.TakeSent(Math.Max(result, 0));
        if (result > 0)
        {
            _hasSent = true;
            _sendPause?.Reset();
            Reactor.BytesSent += result;
        }

        if (isShortOfMemory)
        {
            PauseSending();
        }
        else if (result < 0 && -result is not (Errno.EINTR or Errno.EAGAIN or Errno.ECANCELED))
        {
            ConnectionFailed(-result);
        }

        if (Output.QueueHead is not null || Output.IsFinished || _isAborted || _closeStage != CloseStage.Open)
        {
            MarkDirty();
        }

        TryFinish();
        Reactor.Activity = this;
        Output.NotifyFlush();
        Reactor.Activity = null;
        NotifySendIdle();
    }

    private void NotifySendIdle()
    {
        if (_sendIdle is { } waiter && (IsSendIdle || _isAborted || _closeStage != CloseStage.Open))
        {
            _sendIdle = null;
            waiter.SetResult();
        }
    }

    /// <summary>The time between two attempts to send where the kernel has no memory.</summary>
    private sealed class SendPause(RingConnection connection) : TimerEntry
    {
        private const int FirstMs = 1;
        private const int LongestMs = 64;

        private int _nextMs = FirstMs;

        internal void Start()
        {
            connection.Reactor.Timers.Add(this, connection.Reactor.DueTick(TimeSpan.FromMilliseconds(_nextMs)));
            _nextMs = Math.Min(_nextMs * 2, LongestMs);
        }

        /// <summary>The kernel took bytes: it has memory again.</summary>
        internal void Reset() => _nextMs = FirstMs;

        internal override void OnDue() => connection.MarkDirty();
    }

    /// <summary>Watches a send in flight. The kernel knows how far it is, so it is asked only when the time is over.</summary>
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

        /// <summary>Bytes that the peer acknowledged so far; a unix socket has no such count, so there the whole send is bounded.</summary>
        private ulong BytesTaken()
        {
            const int AcknowledgedOffset = 120;
            byte* info = stackalloc byte[SocketConstants.TcpInfoBytes];
            uint length = SocketConstants.TcpInfoBytes;
            int result = connection.Reactor.Kernel.GetSocketOption(
                connection._descriptor, SocketConstants.LevelTcp, SocketConstants.OptionTcpInfo, info, &length);
            return result < 0 || length < AcknowledgedOffset + sizeof(ulong) ? 0 : *(ulong*)(info + AcknowledgedOffset);
        }
    }
}
