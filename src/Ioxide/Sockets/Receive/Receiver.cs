namespace Ioxide;

/// <summary>A connection's receive operation, one multishot receive from its arming to its last completion, and what it has brought.</summary>
/// <remarks>
/// <code>
/// operation  Unarmed --Arm--> Armed --Cancel--> Cancelling      the kernel has it, and _armedRing is its group of buffers
///            Armed, Cancelling --last completion--> Unarmed     then it is armed again, unless the intake says otherwise
///            Unarmed --no buffer--> Starved --a buffer came home--> Unarmed
/// intake     Open --the application is slow--> Paused --it consumed--> Open;  any --FIN or error--> Ended
/// </code>
/// A completion without MORE ends the receive whatever its result. Requests arrive in small buffers. A connection that fills
/// several in a row moves to the large ones.
/// </remarks>
[DebuggerDisplay("{Describe(),nq}")]
internal sealed unsafe class Receiver(RingConnection connection)
{
    // Consecutive completions that filled their buffer before large buffers are used, and that would have fitted a small one
    // before small buffers are used again.
    private const int RunToSwitch = 4;

    private readonly RingConnection _connection = connection;
    private readonly Reactor _reactor = connection.Reactor;
    private ReceivedBytes _bytes;
    private BufferRing? _armedRing;
    private Operation _operation;
    private Intake _intake;
    private Exception? _error;
    private bool _isPollFirst;
    private bool _wantsBulk;
    private int _run;
    private bool _discards;

    private enum Operation
    {
        Unarmed,
        Armed,
        Cancelling,
        Starved,
    }

    private enum Intake
    {
        Open,
        Paused,
        Ended,
    }

    internal bool IsArmed => _armedRing is not null;

    internal bool IsStarved => _operation == Operation.Starved;

    internal bool HasEnded => _intake == Intake.Ended;

    /// <summary>Bytes were received that the application did not want: closing must be gentle.</summary>
    internal bool HasDiscardedInput { get; private set; }

    /// <summary>What was received and not consumed.</summary>
    internal ref readonly ReceivedBytes Bytes => ref _bytes;

    /// <summary>What the next read throws. Bytes that came before a reset are read first; what this side aborts drops them.</summary>
    internal Exception? Error => _error is not null && _bytes.HasNews && _connection.IsOpen ? null : _error;

    /// <summary>The receive in one line. Threads: the reactor's.</summary>
    internal string Describe()
    {
        string intake = _intake == Intake.Open ? "" : $", {_intake.ToString().ToLowerInvariant()}";
        string bulk = _wantsBulk ? ", bulk" : "";
        string bytes = $"{_bytes.HeldBuffers} held, {_bytes.Buffered} B unread{(HasDiscardedInput ? ", some dropped" : "")}";
        return $"receive {_operation.ToString().ToLowerInvariant()}{intake}{bulk}, {bytes}";
    }

    /// <summary>Arms the unarmed receive if bytes are wanted and a buffer is free.</summary>
    internal void Arm()
    {
        if (_intake != Intake.Open || _operation == Operation.Starved || !_connection.CanReceive)
        {
            return;
        }

        Debug.Assert(_armedRing is null);
        BufferRing ring = (_wantsBulk ? _reactor.Buffers.GetOrMakeBulk() : null) ?? _reactor.Buffers.Small;
        if (ring.LentCount == 0 && !_reactor.Buffers.TryGrow(ring))
        {
            Starve(ring);
            return;
        }

        Sqe* entry = _reactor.Prepare(OperationKind.Receive, _connection.SlotIndex);
        entry->Opcode = Opcode.Receive;
        entry->Descriptor = _connection.Descriptor;

        // A multishot that polls first loses the end of a unix socket's stream where data and end are there together (6.17).
        entry->IoPriority = _isPollFirst ? OperationFlags.PollFirst : OperationFlags.ReceiveMultishot;
        entry->Flags = SqeFlags.BufferSelect;
        entry->BufferGroup = ring.Group;
        ring.BeginReceive();
        Move(Operation.Unarmed, Operation.Armed);
        _armedRing = ring;
        _isPollFirst = false;
    }

    /// <summary>A buffer may be free for a connection that waited for one. False if it no longer needs it.</summary>
    internal bool EndStarvation()
    {
        Move(Operation.Starved, Operation.Unarmed);
        Arm();
        return IsArmed;
    }

    /// <summary>Ends a receive that waits on a retiring group of buffers, to arm it again on another.</summary>
    internal void LeaveRetiredBuffers()
    {
        if (_armedRing is { IsRetired: true })
        {
            _wantsBulk = false;
            _run = 0;
            Cancel();
        }
    }

    /// <summary>Asks the kernel to end the receive, unless already asked. Its last completion still comes.</summary>
    internal void Cancel(SqeFlags flags = SqeFlags.None)
    {
        if (_operation == Operation.Armed)
        {
            Move(Operation.Armed, Operation.Cancelling);
            _reactor.PrepareCancel(OperationKind.CancelReceive, OperationKind.Receive, _connection.SlotIndex, flags);
        }
    }

    internal void CancelCompleted(int result)
        => _reactor.CompleteCancel(
            OperationKind.CancelReceive, OperationKind.Receive, _connection.SlotIndex, result, _operation == Operation.Cancelling);

    /// <summary>Nothing more comes. Readers get <paramref name="error"/>; null is a clean end. The first call counts.</summary>
    internal void End(Exception? error)
    {
        if (_intake != Intake.Ended)
        {
            _intake = Intake.Ended;
            _error = error;
        }
    }

    /// <summary>The reader has consumed and examined the stream up to here.</summary>
    internal void Advance(long consumed, long examined)
    {
        _bytes.Release(_reactor, consumed, examined);
        ResumeIfRoom();
    }

    /// <summary>There is no reader any more: what was received and what comes is dropped.</summary>
    internal void Discard()
    {
        _discards = true;
        HasDiscardedInput = _bytes.Buffered > 0;
        _bytes.ReleaseAll();
        ResumeIfRoom();
    }

    internal void Completed(int result, uint flags)
    {
        BufferRing ring = _armedRing!;
        bool isLast = (flags & CqeFlags.More) == 0;
        if (isLast)
        {
            Debug.Assert(_operation is Operation.Armed or Operation.Cancelling);
            _operation = Operation.Unarmed;
            _armedRing = null;
        }

        if ((flags & CqeFlags.Buffer) != 0)
        {
            ReceiveSegment segment = ring.Take((int)(flags >> CqeFlags.BufferShift), Math.Max(result, 0));
            if (result > 0 && !_discards)
            {
                _bytes.Append(_reactor, segment);
            }
            else
            {
                HasDiscardedInput |= result > 0;
                ring.Return(segment);
            }

            if (result > 0)
            {
                _reactor.Counters.BytesReceived += result;
                ChooseBuffers(ring, result);
            }
        }

        if (isLast)
        {
            ring.EndReceive();
        }

        if (result <= 0)
        {
            Ended(-result, ring);
        }

        if (isLast)
        {
            if (_intake != Intake.Ended)
            {
                _reactor.Counters.Rearms++;
                Arm();
            }

            _connection.ReceiveIsOver();
        }

        _reactor.Activity = _connection;
        _connection.Reader.Notify();
        _reactor.Activity = null;

        // If the reader blocked, the reactor may have ended meanwhile, and receiving with it.
        PauseIfFull();
    }

    private void Ended(int errno, BufferRing ring)
    {
        switch (errno)
        {
            case 0:
                End(null);
                _connection.PeerFinished();
                break;
            case Errno.ENOBUFS:
                // Not from a retiring group: the next receive names another one.
                if (_operation == Operation.Unarmed && !ring.IsRetired && _connection.CanReceive)
                {
                    Starve(ring);
                }

                break;
            case Errno.EAGAIN:
                // The socket was made non-blocking; the poll must come first then.
                _isPollFirst = true;
                break;
            case Errno.EINTR:
            case Errno.ECANCELED:
                break;
            default:
                _connection.Failed(errno);
                break;
        }
    }

    private void Starve(BufferRing ring)
    {
        Move(Operation.Unarmed, Operation.Starved);
        _reactor.Buffers.Starve(_connection, ring);
    }

    private void ChooseBuffers(BufferRing ring, int lengthBytes)
    {
        bool fitsSmall = lengthBytes < _reactor.Buffers.Small.BufferSizeBytes;
        if (fitsSmall != _wantsBulk)
        {
            _run = 0;
            return;
        }

        // The receive stays in its group until its last completion; the switch waits for that.
        if (++_run >= RunToSwitch && ring == _armedRing && _operation == Operation.Armed)
        {
            _run = 0;
            if (!_wantsBulk && _reactor.Buffers.GetOrMakeBulk() is null)
            {
                return;
            }

            _wantsBulk = !_wantsBulk;
            Cancel();
        }
    }

    private void PauseIfFull()
    {
        if (_intake == Intake.Open && _bytes.Unexamined >= _connection.Options.MaxReadBufferSize && !_discards)
        {
            _intake = Intake.Paused;
            Cancel();
        }
    }

    /// <summary>The application consumed bytes: a paused receive resumes when half of the limit is free.</summary>
    private void ResumeIfRoom()
    {
        if (_intake == Intake.Paused && (_discards || _bytes.Unexamined <= _connection.Options.MaxReadBufferSize / 2))
        {
            _intake = Intake.Open;
            if (_armedRing is null)
            {
                Arm();
            }
        }
    }

    private void Move(Operation from, Operation to)
    {
        Debug.Assert(_operation == from);
        Debug.Assert(IsArmed == (from is Operation.Armed or Operation.Cancelling));
        _operation = to;
    }
}
