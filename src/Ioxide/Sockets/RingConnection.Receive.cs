using System.Diagnostics;

namespace Ioxide;

/// <summary>Receiving: one multishot receive, from its arming to its last completion.</summary>
/// <remarks>
/// States: armed (a receive is in flight), cancelling (armed, and the kernel was asked to end it), starved (not armed,
/// queued for a buffer), paused (the application is slow), ended (FIN or error). A completion without MORE ends the receive
/// whatever its result, and it is armed again unless one of the other states holds.
/// Requests arrive in small buffers. A connection that fills several in a row moves to the large ones.
/// </remarks>
public sealed unsafe partial class RingConnection
{
    // Completions in a row that filled their buffer before large buffers are used, and that would have fitted a small one
    // before they are left again.
    private const int RunToSwitch = 4;
    private const ushort PollFirst = 1 << 0;

    private readonly ReceivePipe _input;
    private BufferRing? _armedRing;
    private bool _isCancellingReceive;
    private bool _isStarved;
    private bool _isPaused;
    private bool _isReceiveEnded;
    private bool _isPollFirst;
    private bool _wantsBulk;
    private int _run;
    private bool _hasDiscardedInput;

    /// <summary>Bytes were received, or may still come, that the application did not want: closing must be gentle.</summary>
    internal void NoteDiscardedInput() => _hasDiscardedInput = true;

    /// <summary>A buffer may be there for a connection that waited for one. False where it no longer wants it.</summary>
    internal bool EndStarvation()
    {
        _isStarved = false;
        if (_closeStage != CloseStage.Open && _closeStage != CloseStage.Lingering)
        {
            return false;
        }

        ArmReceive();
        return _armedRing is not null;
    }

    /// <summary>The application consumed bytes: receiving goes on if it was paused and half of the limit is free.</summary>
    internal void InputConsumed()
    {
        if (_isPaused && (_input.IsReaderCompleted || _input.Unexamined <= Options.MaxReadBufferSize / 2))
        {
            _isPaused = false;
            if (_armedRing is null)
            {
                ArmReceive();
            }
        }
    }

    /// <summary>A receive that waits on a group of buffers that retires is ended, to be armed again on another.</summary>
    internal void LeaveRetiredBuffers()
    {
        if (_armedRing is { IsRetired: true })
        {
            _wantsBulk = false;
            _run = 0;
            CancelReceive();
        }
    }

    private void ArmReceive()
    {
        if (_isReceiveEnded || _isPaused || _isStarved || _closeStage >= CloseStage.Closing)
        {
            return;
        }

        Debug.Assert(_armedRing is null);
        BufferRing ring = (_wantsBulk ? Reactor.GetOrMakeBulkBuffers() : null) ?? Reactor.SmallBuffers;
        if (ring.LentCount == 0 && !Reactor.TryGrow(ring))
        {
            _isStarved = true;
            Reactor.Starve(this, ring);
            return;
        }

        Sqe* entry = Reactor.Prepare(OperationKind.Receive, _slotIndex);
        entry->Opcode = Opcode.Receive;
        entry->Descriptor = _descriptor;

        // A multishot that polls first loses the end of a unix socket's stream where data and the end are there together (6.17).
        entry->IoPriority = _isPollFirst ? PollFirst : OperationFlags.ReceiveMultishot;
        entry->Flags = SqeFlags.BufferSelect;
        entry->BufferGroup = ring.Group;
        ring.BeginReceive();
        _armedRing = ring;
        _isPollFirst = false;
    }

    private void ReceiveCompleted(int result, uint flags)
    {
        BufferRing ring = _armedRing!;
        bool isLast = (flags & CqeFlags.More) == 0;
        if (isLast)
        {
            _armedRing = null;
            _isCancellingReceive = false;
        }

        if ((flags & CqeFlags.Buffer) != 0)
        {
            ReceiveSegment segment = ring.Take((int)(flags >> CqeFlags.BufferShift), Math.Max(result, 0));
            if (result > 0)
            {
                Reactor.BytesReceived += result;
                _input.Append(segment);
                ChooseBuffers(ring, result);
            }
            else
            {
                ring.Return(segment);
            }
        }

        if (isLast)
        {
            ring.EndReceive();
        }

        if (result <= 0)
        {
            ReceiveEnded(-result, ring);
        }

        if (isLast)
        {
            if (!_isReceiveEnded)
            {
                Reactor.Rearms++;
                ArmReceive();
            }

            if (_closeStage != CloseStage.Open)
            {
                MarkDirty();
                TryFinish();
            }
        }

        Reactor.Activity = this;
        _input.Notify();
        Reactor.Activity = null;

        // Where the reader blocked the reactor may have ended meanwhile, and receiving with it.
        PauseIfFull();
    }

    private void ReceiveEnded(int errno, BufferRing ring)
    {
        switch (errno)
        {
            case 0:
                _isReceiveEnded = true;
                SetCloseReason(CloseReason.PeerFinished, null);
                _input.End(null);
                RaiseClosed();
                break;
            case Errno.ENOBUFS:
                // Not of a group that retires: the next receive names another one.
                if (!_isStarved && !ring.IsRetired && _closeStage < CloseStage.Closing)
                {
                    _isStarved = true;
                    Reactor.Starve(this, ring);
                }

                break;
            case Errno.EAGAIN:
                // Somebody made the socket non-blocking; the poll then has to come first.
                _isPollFirst = true;
                break;
            case Errno.EINTR:
            case Errno.ECANCELED:
                break;
            default:
                ConnectionFailed(errno);
                break;
        }
    }

    private void ChooseBuffers(BufferRing ring, int lengthBytes)
    {
        bool fitsSmall = lengthBytes < Reactor.SmallBuffers.BufferSizeBytes;
        if (fitsSmall != _wantsBulk)
        {
            _run = 0;
            return;
        }

        // The receive goes on in its group until its last completion; the switch waits for that.
        if (++_run >= RunToSwitch && ring == _armedRing && !_isCancellingReceive)
        {
            _run = 0;
            if (!_wantsBulk && Reactor.GetOrMakeBulkBuffers() is null)
            {
                return;
            }

            _wantsBulk = !_wantsBulk;
            CancelReceive();
        }
    }

    private void PauseIfFull()
    {
        if (!_isPaused && !_isReceiveEnded && _input.Unexamined >= Options.MaxReadBufferSize && !_input.IsReaderCompleted)
        {
            _isPaused = true;
            CancelReceive();
        }
    }

    private void CancelReceive()
    {
        if (_armedRing is not null && !_isCancellingReceive)
        {
            _isCancellingReceive = true;
            Reactor.PrepareCancel(OperationKind.CancelReceive, OperationKind.Receive, _slotIndex);
        }
    }
}
