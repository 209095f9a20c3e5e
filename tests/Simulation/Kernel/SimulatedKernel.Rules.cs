namespace Ioxide.Simulation;

/// <summary>What a runtime never asks for. Linux would do it; here it breaks an invariant.</summary>
internal sealed unsafe partial class SimulatedKernel
{
    // A receive that is tried again without a poll gets the same answer; as often as this no seed's other faults make it.
    private const int MostAgains = 30;

    /// <summary>Accepts that failed for want of something, and not because one client was gone.</summary>
    internal long ShortAccepts { get; private set; }

    /// <summary>Two receives on a socket would share its bytes out, two sends would mix theirs, of one ring or of two.</summary>
    private void CheckAlone(Operation operation)
    {
        bool isSend = operation.Opcode != Opcode.Receive;
        foreach (RingState ring in _rings)
        {
            foreach (Operation other in ring.InFlight)
            {
                if (!ReferenceEquals(other, operation) && ReferenceEquals(other.File, operation.File)
                    && other.Opcode is Opcode.Receive or Opcode.Send or Opcode.SendMessage
                    && (other.Opcode != Opcode.Receive) == isSend)
                {
                    Violate($"two {(isSend ? "sends" : "receives")} are in flight on one socket");
                }
            }
        }
    }

    /// <summary>A receive was submitted: those that wait for buffers come in the order in which they began to wait.</summary>
    /// <remarks>
    /// One that was passed may have closed, which shows when it is not armed any more. One that paused is armed later too, and large
    /// buffers have a queue of their own: the host knows where there are neither.
    /// </remarks>
    private void NoteArmed(Operation operation, StreamSocket socket)
    {
        _ring.HasHadBulk |= (operation.Entry.BufferGroup & 1) != 0;
        int place = _ring.Starved.IndexOf(socket);
        if (place < 0)
        {
            return;
        }

        _ring.Starved.RemoveAt(place);
        foreach (StreamSocket before in _ring.Starved.GetRange(0, place))
        {
            before.IsPassed = true;
        }

        if (socket.IsPassed && !_ring.HasHadBulk)
        {
            Host.StarvedWasPassed(socket);
        }
    }

    /// <summary>Whether the socket answers EAGAIN, as one that was made non-blocking did on older kernels: until it is polled first.</summary>
    private bool AnswersAgain(Operation operation, StreamSocket socket)
    {
        if (socket.CanReceive || (operation.Entry.IoPriority & PollFirst) != 0)
        {
            socket.Agains = 0;
            return false;
        }

        if (socket.Agains == 0)
        {
            return false;
        }

        if (++socket.Agains > MostAgains)
        {
            Violate("a receive that found nothing is tried again and again without a poll");
        }

        return true;
    }

    private void NoteReceiveEnded(StreamSocket socket, int result)
    {
        if (result == -Errno.ENOBUFS)
        {
            Mark("receive: waits its turn");
            socket.IsPassed = false;
            _ring.Starved.Remove(socket);
            _ring.Starved.Add(socket);
        }
        else if (result == -Errno.EAGAIN && socket.Agains == 0)
        {
            socket.Agains = 1;
        }
    }

    /// <summary>Names are used once: behind its cancel an operation does not start again.</summary>
    private void CheckName(Operation operation)
    {
        if (operation.Opcode == Opcode.Read && _ring.CancelledNames.Contains(operation.UserData))
        {
            Violate("a read that was cancelled is started again");
        }
    }

    private void NoteEnded(Operation operation, int result)
    {
        if (operation.Opcode == Opcode.Receive && operation.File is StreamSocket socket)
        {
            NoteReceiveEnded(socket, result);
        }
        else if (operation.Opcode == Opcode.Accept && result < 0 && !Errno.IsOfOneConnection(-result))
        {
            ShortAccepts++;
        }
    }
}
