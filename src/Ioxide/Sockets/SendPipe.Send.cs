using System.Diagnostics;

namespace Ioxide;

/// <summary>The send operation: one in flight, which takes everything queued when it was made.</summary>
/// <remarks>
/// <code>
/// Idle --Submit--> Sending --completion--> Idle            the kernel has blocks of the queue, up to _lastInFlight
/// Idle --the socket is full--> AwaitingRoom --> Idle       a poll is in flight and names no block (.Pages)
/// Idle --the kernel has no memory--> Paused --timer--> Idle
/// </code>
/// A pause lasts 1, 2, 4 ... 64 ms. Nothing is in flight then, so the pipe owns the queue's memory; an abort drops it and closes at once.
/// <see cref="RingConnectionOptions.SendTimeout"/> continues to run.
/// </remarks>
public sealed unsafe partial class SendPipe
{
    // Larger sends may have to wait for the peer, so they do not count as certain to complete.
    private const long QuickSendBytes = 16 * 1024;

    private Operation _operation;
    private SendVectors? _vectors;
    private bool _hasSent;
    private TaskCompletionSource? _idle;

    private enum Operation
    {
        Idle,
        Sending,
        AwaitingRoom,
        Paused,
    }

    /// <summary>A layer that the application writes to instead of this pipe, such as TLS; null without one.</summary>
    internal ISendLayer? Layer { get; set; }

    /// <summary>The kernel encrypts the sent bytes.</summary>
    internal bool IsEncryptedByKernel { get; set; }

    /// <summary>Whether the kernel has ever taken a byte.</summary>
    internal bool HasSent => _hasSent;

    internal bool IsInFlight => _operation is Operation.Sending or Operation.AwaitingRoom;

    /// <summary>The kernel has taken everything flushed. Only on the reactor.</summary>
    internal bool IsIdle => !IsInFlight && _queueHead is null && _connection.IsOpen;

    /// <summary>Completes when the kernel has taken everything flushed, or the connection is aborted. Only on the reactor.</summary>
    internal Task WhenIdleAsync()
    {
        Debug.Assert(_reactor.IsCurrent);
        return IsIdle || !_connection.IsOpen
            ? Task.CompletedTask
            : (_idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>The end of a turn: queued bytes are sent, if nothing is in flight.</summary>
    /// <returns>Whether nothing is queued and nothing is in flight.</returns>
    internal bool EndTurn()
    {
        if (IsInFlight)
        {
            return false;
        }

        if (_queueHead is not null)
        {
            if (_operation == Operation.Paused)
            {
                return false;
            }

            if (!TrySendPages())
            {
                Submit(_queueHead!);
            }

            if (IsInFlight || _queueHead is not null)
            {
                return false;
            }

            NotifyIdle();
        }

        // Left from a pause whose queue a call sent, or that was dropped.
        _deadline?.Stop();
        return true;
    }

    /// <summary>Asks the kernel to end the send in flight. Its own completion still comes.</summary>
    internal void Cancel()
    {
        if (IsInFlight)
        {
            _reactor.PrepareCancel(OperationKind.CancelSend, OperationKind.Send, _connection.SlotIndex);
        }
    }

    internal void Completed(int result)
    {
        bool isShortOfMemory = -result is Errno.ENOBUFS or Errno.ENOMEM;
        if (_operation == Operation.AwaitingRoom)
        {
            // It was a poll: a result above 0 is a set of events.
            result = Math.Min(result, 0);
        }

        Debug.Assert(IsInFlight);
        _operation = Operation.Idle;
        if (!isShortOfMemory)
        {
            _deadline?.Stop();
        }

        if (_vectors is { } vectors)
        {
            _vectors = null;
            _reactor.ReturnVectors(vectors);
        }

        TakeSent(Math.Max(result, 0));
        if (result > 0)
        {
            CountSent(result);
        }

        if (isShortOfMemory)
        {
            Pause();
        }
        else if (result < 0 && -result is not (Errno.EINTR or Errno.EAGAIN or Errno.ECANCELED))
        {
            _connection.Failed(-result);
        }

        if (_queueHead is not null || _outlet != Outlet.Open || !_connection.IsOpen)
        {
            _connection.MarkDirty();
        }

        _connection.TryFinish();
        _reactor.Activity = _connection;
        NotifyFlush();
        _reactor.Activity = null;
        NotifyIdle();
    }

    private void Submit(MemoryBlock first)
    {
        Debug.Assert(!IsInFlight);
        long bytes = first.Length;
        if (first.RecordType == 0 && (first.Next is null or { RecordType: not 0 } || IsForPages(first.Next)))
        {
            Sqe* entry = Prepare(Opcode.Send);
            entry->Address = (ulong)(first.Pointer + first.Start);
            entry->Length = (uint)first.Length;
            _lastInFlight = first;
        }
        else
        {
            _lastInFlight = FillVectors(first, out bytes);
            Sqe* entry = Prepare(Opcode.SendMessage);
            entry->Address = (ulong)_vectors!.Header;
            entry->Length = 1;
        }

        Begin(Operation.Sending);
        if (bytes <= QuickSendBytes)
        {
            _reactor.CountQuickSend();
        }
    }

    /// <summary>An operation is in flight that ends in <see cref="Completed"/>.</summary>
    private void Begin(Operation operation)
    {
        Debug.Assert(_operation == Operation.Idle);
        _operation = operation;
        StartDeadline();
    }

    private Sqe* Prepare(Opcode opcode)
    {
        Sqe* entry = _reactor.Prepare(OperationKind.Send, _connection.SlotIndex);
        entry->Opcode = opcode;
        entry->Descriptor = _connection.Descriptor;

        // The kernel's TLS refuses to wait for all; the next send takes the rest.
        entry->OperationFlags = SocketConstants.MessageNoSignal | (IsEncryptedByKernel ? 0 : SocketConstants.MessageWaitAll);
        return entry;
    }

    private MemoryBlock FillVectors(MemoryBlock first, out long bytes)
    {
        _vectors = _reactor.RentVectors();
        IoVector* vector = _vectors.Vectors;
        int count = 0;
        bytes = 0;
        MemoryBlock last = first;
        for (MemoryBlock? block = first; block is not null && count < SendVectors.MaxVectors; block = block.Next)
        {
            // One operation must stay below 2^31 bytes; a non-data record goes alone.
            // Memory that goes by its pages waits for its own call.
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

        return last;
    }

    private void CountSent(int bytes)
    {
        _hasSent = true;
        _pause?.Reset();
        _reactor.BytesSent += bytes;
    }

    private void NotifyIdle()
    {
        if (_idle is { } waiter && (IsIdle || !_connection.IsOpen))
        {
            _idle = null;
            waiter.SetResult();
        }
    }
}
