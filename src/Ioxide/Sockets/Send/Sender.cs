namespace Ioxide;

/// <summary>The reactor's half of a connection's sending side: the queue of flushed blocks, and the one send in flight.</summary>
/// <remarks>
/// <para>A send takes everything that was queued when it was made.</para>
/// <code>
/// Idle --Submit--> Sending --completion--> Idle            the kernel has blocks of the queue, up to SendQueue.LastInFlight
/// Idle --the socket is full--> AwaitingRoom --> Idle       a poll is in flight and names no block (Sender.Pages.cs)
/// Idle --the kernel has no memory--> Paused --timer--> Idle
/// </code>
/// A pause lasts 1, 2, 4 ... 64 ms. Nothing is in flight then, so an abort drops the queue's memory and closes at once.
/// <see cref="RingConnectionOptions.SendTimeout"/> continues to run.
/// </remarks>
internal sealed unsafe partial class Sender(RingConnection connection)
{
    // Larger sends may have to wait for the peer, so they do not count as certain to complete.
    private const long QuickSendBytes = 16 * 1024;

    private readonly RingConnection _connection = connection;
    private readonly Reactor _reactor = connection.Reactor;
    private SendQueue _queue;
    private Operation _operation;
    private SendVectors? _vectors;
    private bool _hasSent;
    private TaskCompletionSource? _idle;

    // Read by writers on other threads.
    private volatile Outlet _outlet;

    // Created by the first send that needs them.
    private SendPause? _pause;
    private SendDeadline? _deadline;

    private enum Operation
    {
        Idle,
        Sending,
        AwaitingRoom,
        Paused,
    }

    private enum Outlet
    {
        /// <summary>The application may write more.</summary>
        Open,

        /// <summary>The application has written its last byte.</summary>
        Finished,

        /// <summary>The peer takes nothing more, whatever is written.</summary>
        Ended,
    }

    /// <summary>The kernel encrypts the sent bytes.</summary>
    internal bool IsEncryptedByKernel
    {
        get;
        set
        {
            // It would encrypt what was encrypted before.
            Debug.Assert(IsIdle);
            Debug.Assert(_connection.Output.PendingBytes == 0);
            field = value;
        }
    }

    /// <summary>Whether the kernel has ever taken a byte.</summary>
    internal bool HasSent => _hasSent;

    /// <summary>Flushed bytes that the kernel has not yet taken. Threads: any.</summary>
    internal long QueuedBytes => Volatile.Read(ref _queue.Bytes);

    /// <summary>Whether the application has written its last byte, and the peer may take it.</summary>
    internal bool IsFinished => _outlet == Outlet.Finished;

    /// <summary>The peer takes nothing more. Threads: any.</summary>
    internal bool HasEnded => _outlet == Outlet.Ended;

    /// <summary>The send and its queue in one line. Threads: the reactor's.</summary>
    internal string Describe()
    {
        string operation = _operation switch
        {
            Operation.Sending => "sending",
            Operation.AwaitingRoom => "send waits for room in the socket",
            Operation.Paused => "send paused, the kernel had no memory",
            _ => "send idle",
        };
        return $"{operation}, {QueuedBytes} B queued{(_outlet == Outlet.Open ? "" : $", {_outlet.ToString().ToLowerInvariant()}")}";
    }

    /// <summary>How long the next pause lasts, in milliseconds.</summary>
    internal int NextPauseMs => _pause?.NextMs ?? SendPause.FirstMs;

    internal bool IsInFlight => _operation is Operation.Sending or Operation.AwaitingRoom;

    /// <summary>The kernel has taken everything flushed. Only on the reactor.</summary>
    internal bool IsIdle => !IsInFlight && _queue.Head is null && _connection.IsOpen;

    /// <summary>Takes a flushed chain.</summary>
    internal void Enqueue(MemoryBlock first, MemoryBlock last, long bytes)
    {
        if (HasEnded || bytes == 0)
        {
            SendQueue.ReleaseChain(_reactor, first);
            return;
        }

        _connection.MarkDirty();
        _queue.Add(_reactor, first, last, bytes);
    }

    /// <summary>Takes the writer's last chain.</summary>
    internal void Finish(MemoryBlock? first, MemoryBlock? last, long bytes)
    {
        if (first is not null)
        {
            Enqueue(first, last!, bytes);
        }

        if (_outlet == Outlet.Open)
        {
            _outlet = Outlet.Finished;
        }

        _connection.MarkDirty();
    }

    /// <summary>The peer takes nothing more. Blocks that are not in flight are dropped now, the rest with its completion.</summary>
    internal void End()
    {
        _outlet = Outlet.Ended;
        if (_queue.LastInFlight is null)
        {
            _queue.Drop(_reactor);
        }

        EndPause();
    }

    /// <summary>The connection is about to be closed.</summary>
    internal void StopTimers()
    {
        EndPause();
        _deadline?.Stop();
    }

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

        if (_queue.Head is not null)
        {
            if (_operation == Operation.Paused)
            {
                return false;
            }

            if (!TrySendPages())
            {
                Submit(_queue.Head!);
            }

            if (IsInFlight || _queue.Head is not null)
            {
                return false;
            }

            NotifyIdle();
        }

        // The deadline still runs if the queue was emptied without a completion: by a direct send call, or dropped by an abort.
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

    internal void CancelCompleted(int result)
        => _reactor.CompleteCancel(OperationKind.CancelSend, OperationKind.Send, _connection.SlotIndex, result, IsInFlight);

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
            _reactor.Memory.ReturnVectors(vectors);
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

        if (_queue.Head is not null || _outlet != Outlet.Open || !_connection.IsOpen)
        {
            _connection.MarkDirty();
        }
        else if (result > 0)
        {
            _connection.Output.Layer?.QueueSent();
        }

        _connection.TryFinish();
        _reactor.Activity = _connection;
        _connection.Output.NotifyFlush();
        _reactor.Activity = null;
        NotifyIdle();
    }

    /// <summary>Resumes who waits for the end of the queue. Called last, because it runs application code.</summary>
    internal void NotifyIdle()
    {
        if (_idle is { } waiter && (IsIdle || !_connection.IsOpen))
        {
            _idle = null;
            waiter.SetResult();
        }
    }

    /// <summary>A pause is over, or nothing is left to wait for.</summary>
    internal void EndPause()
    {
        if (_operation == Operation.Paused)
        {
            _operation = Operation.Idle;
            _reactor.Timers.Remove(_pause!);
        }
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
            _queue.LastInFlight = first;
        }
        else
        {
            _queue.LastInFlight = FillVectors(first, out bytes);
            Sqe* entry = Prepare(Opcode.SendMessage);
            entry->Address = (ulong)_vectors!.Header;
            entry->Length = 1;
        }

        Begin(Operation.Sending);
        if (bytes <= QuickSendBytes)
        {
            _reactor.Wait.CountQuickSend();
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
        _vectors = _reactor.Memory.RentVectors();
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
        _reactor.Counters.BytesSent += bytes;
    }

    /// <summary>The send in flight is over; the kernel took this many bytes.</summary>
    private void TakeSent(long bytes)
    {
        byte recordType = _queue.Take(_reactor, bytes);
        if (HasEnded)
        {
            _queue.Drop(_reactor);
        }
        else if (recordType != 0)
        {
            _connection.Output.Layer?.RecordSent(recordType);
        }
    }

    /// <summary>Keeps running through pauses: only bytes that the peer acknowledged reset it.</summary>
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
        if (_queue.Head is not null)
        {
            _operation = Operation.Paused;
            _reactor.Counters.SendPauses++;
            StartDeadline();
            (_pause ??= new SendPause(_connection)).Start();
        }
    }
}
