using System.Buffers.Binary;

namespace Ioxide.Simulation;

/// <summary>Operations: issued when they are submitted, gone on with as works of the ring, ended by their last completion.</summary>
internal sealed unsafe partial class SimulatedKernel
{
    // A multishot that has more to do after so many completions lets the others have their turn.
    private const int RoundsPerWork = 33;

    // Far more than pauses of 10 ms and more, and connections that close, can make of a run.
    private const int MostRefusedAccepts = 200;

    /// <summary><c>IORING_RECVSEND_POLL_FIRST</c>: a receive asks for a buffer when there is something.</summary>
    private const ushort PollFirst = 1 << 0;

    private readonly Stack<Operation> _spare = new();
    private readonly Queue<Operation> _slowReads = new();
    private int _refusedAccepts;

    /// <summary>Operations in flight, of all rings.</summary>
    internal int InFlight => _rings.Sum(static ring => ring.InFlight.Count);

    private void QueueWork(Operation operation)
    {
        if (!operation.IsQueued)
        {
            operation.IsQueued = true;
            _rings[operation.RingNumber].Works.Enqueue(operation);
        }
    }

    /// <summary>Runs the works that are there; what comes of them waits, unless completions are still wanted.</summary>
    private void RunWorks(uint most, uint wanted)
    {
        uint done = 0;
        do
        {
            done += RunWorks(Math.Min(most - done, (uint)_ring.Works.Count));
        }
        while (done < wanted && done < most && _ring.Works.Count > 0);
        if (most == WorksPerEnter && done == most && _ring.Works.Count > 0)
        {
            Mark("enter: 20 works and more left");
        }
    }

    private uint RunWorks(uint count)
    {
        for (uint done = 0; done < count; done++)
        {
            Operation operation = _ring.Works.Dequeue();
            if (_dice.Chance(Faults.LateWork) && Ready > 0)
            {
                Mark("wake: late");
                _ring.Works.Enqueue(operation);
                continue;
            }

            operation.IsQueued = false;
            if (operation.IsDone)
            {
                continue;
            }

            operation.IsBeyondCancel = false;
            if (operation.IsLinkedNext)
            {
                operation.IsLinkedNext = false;
                Issue(operation);
            }
            else
            {
                GoOn(operation);
            }
        }

        return count;
    }

    private Operation Rent(in Sqe entry)
    {
        Operation operation = _spare.TryPop(out Operation? spare) ? spare : new Operation();
        operation.Start(entry, _ring.Number);
        _ring.InFlight.Add(operation);
        return operation;
    }

    private void Issue(Operation operation)
    {
        switch (operation.Opcode)
        {
            case Opcode.Nop:
                End(operation, 0);
                return;
            case Opcode.AsyncCancel:
                _ring.CancelledNames.Add(operation.Entry.Address);
                End(operation, Cancel(operation.Entry.Address));
                return;
            case Opcode.Close:
                int closed = Close(operation.Entry.Descriptor);
                End(operation, closed);
                return;
        }

        if (FileOf(operation.Entry.Descriptor) is not { } file)
        {
            End(operation, -Errno.EBADF);
            return;
        }

        operation.File = file;
        file.Hold();
        CheckName(operation);
        if (operation.Opcode == Opcode.Receive)
        {
            NoteArmed(operation, (StreamSocket)file);
            if (AnswersAgain(operation, (StreamSocket)file))
            {
                End(operation, -Errno.EAGAIN);
                return;
            }
        }

        if (_dice.Chance(Faults.TransientError) && operation.Opcode is Opcode.Receive or Opcode.Send or Opcode.SendMessage)
        {
            End(operation, -_dice.Of<int>(operation.Opcode == Opcode.Receive
                ? [Errno.EINTR, Errno.EAGAIN]
                : [Errno.EINTR, Errno.EAGAIN, Errno.ENOBUFS, Errno.ENOMEM]));
            return;
        }

        switch (operation.Opcode)
        {
            case Opcode.Receive:
                CheckAlone(operation);
                if ((operation.Entry.IoPriority & PollFirst) != 0)
                {
                    WaitForSocket(operation, (StreamSocket)file);
                    return;
                }

                break;
            case Opcode.Send:
                CheckAlone(operation);
                operation.Vectors.Add(((nint)operation.Entry.Address, operation.Entry.Length));
                operation.TotalLength = operation.Entry.Length;
                break;
            case Opcode.SendMessage:
                CheckAlone(operation);
                CopyVectors(operation);
                break;
            case Opcode.Read when _dice.Chance(500):
                _slowReads.Enqueue(operation);
                Host.ReadStarted();
                return;
            case Opcode.Connect:
                file.Waiting.Add(operation);
                Host.ConnectStarted(operation, BinaryPrimitives.ReadUInt16BigEndian(new ReadOnlySpan<byte>((byte*)operation.Entry.Address + 2, 2)));
                operation.IsBeyondCancel = operation.IsQueued;
                return;
        }

        GoOn(operation);
    }

    private void GoOn(Operation operation)
    {
        if (operation.IsCancelled)
        {
            if (operation.Sent > 0)
            {
                Mark("cancel: partial send");
            }

            // A worker that reads a file is interrupted.
            int error = operation.Opcode == Opcode.Read && _dice.Chance(500) ? Errno.EINTR : Errno.ECANCELED;
            End(operation, operation.Sent > 0 ? (int)operation.Sent : -error);
            return;
        }

        switch (operation.Opcode)
        {
            case Opcode.Receive:
                GoOnReceiving(operation, (StreamSocket)operation.File!);
                break;
            case Opcode.Send:
            case Opcode.SendMessage:
                GoOnSending(operation, (StreamSocket)operation.File!);
                break;
            case Opcode.Accept:
                GoOnAccepting(operation, (ListeningSocket)operation.File!);
                break;
            case Opcode.PollAdd when operation.File is StreamSocket socket:
                if (socket.SendRoom > 0 || socket.IsReset || socket.IsWriteShut)
                {
                    End(operation, (int)SocketConstants.PollOut);
                }
                else
                {
                    Mark("send: waits for room");
                    Park(operation);
                }

                break;
            case Opcode.PollAdd:
                GoOnPolling(operation, (EventCounter)operation.File!);
                break;
            case Opcode.Read when _dice.Chance(Faults.TransientError):
                Mark("file: read interrupted");
                End(operation, -_dice.Of<int>([Errno.EINTR, Errno.EAGAIN]));
                break;
            case Opcode.Read:
                End(operation, ((DataFile)operation.File!).Read(
                    new Span<byte>((void*)operation.Entry.Address, (int)operation.Entry.Length), (long)operation.Entry.Offset));
                break;
            case Opcode.Connect:
                if (operation.Answer is { } answer)
                {
                    End(operation, answer);
                }

                break;
            default:
                Violate($"operation {operation.Opcode} is not simulated");
                break;
        }
    }

    private void WaitForSocket(Operation operation, StreamSocket socket)
    {
        if (!socket.CanReceive)
        {
            Park(operation);
            return;
        }

        if (operation.IsMultishot)
        {
            Park(operation);
        }

        operation.IsBeyondCancel = !operation.IsMultishot;
        QueueWork(operation);
    }

    private void GoOnReceiving(Operation operation, StreamSocket socket)
    {
        if (!socket.CanReceive && operation.IsMultishot && socket.Waiting.Contains(operation))
        {
            // Woken, and there is nothing: no buffer is asked for.
            return;
        }

        bool isBulk = (operation.Entry.BufferGroup & 1) != 0;
        if (!_ring.Groups.TryGetValue(operation.Entry.BufferGroup, out BufferGroup? group))
        {
            Host.UnknownGroupNamed(operation.Entry.BufferGroup);
            End(operation, -Errno.ENOBUFS);
            return;
        }

        for (int round = 0; round < RoundsPerWork; round++)
        {
            if (round > 0 && !socket.CanReceive)
            {
                Park(operation);
                return;
            }

            // Before the socket is looked at: also where nothing is to be had, or only the end. Facts: kernel.md, a6.
            if (group.IsEmpty)
            {
                bool isEnd = socket.HasPeerFinished && socket.Available == 0;
                Mark(isEnd ? "receive: end without buffer" : "receive: no buffer");
                End(operation, -Errno.ENOBUFS);
                return;
            }

            if (socket.Available == 0)
            {
                EndOrPark(operation, socket);
                return;
            }

            _ = group.TryTake(out BufferRingEntry buffer);
            if (isBulk)
            {
                Mark("receive: bulk group");
            }

            int count = Math.Min(socket.Available, (int)buffer.Length);
            if (count > 1 && _dice.Chance(Faults.ShortReceive))
            {
                count = _dice.Between(1, count);
            }

            socket.TakeReceived(new Span<byte>((void*)buffer.Address, count));
            uint flags = CqeFlags.Buffer | ((uint)buffer.BufferId << CqeFlags.BufferShift);
            if (IsFull)
            {
                Mark("receive: ended by a full queue");
                End(operation, count, flags);
                return;
            }

            if (!operation.IsMultishot || _dice.Chance(Faults.EndWithResult))
            {
                Mark("receive: ended with data");
                End(operation, count, flags);
                return;
            }

            Post(operation.UserData, count, flags | CqeFlags.More);
        }

        QueueWork(operation);
    }

    /// <summary>There is no data: a reset, the end, or nothing yet.</summary>
    private void EndOrPark(Operation operation, StreamSocket socket)
    {
        if (socket.HasError)
        {
            Mark("receive: reset");
            socket.HasError = false;
            End(operation, -Errno.ECONNRESET);
        }
        else if (socket.CanReceive)
        {
            End(operation, 0);
        }
        else
        {
            Park(operation);
        }
    }

    private void GoOnAccepting(Operation operation, ListeningSocket listener)
    {
        if (_dice.Chance(Faults.AcceptError))
        {
            Mark("accept: failed otherwise");
            End(operation, -_dice.Of<int>([Errno.ENFILE, Errno.ENOMEM, Errno.ENOBUFS, Errno.ECONNABORTED, Errno.EINTR]));
            return;
        }

        if (listener.IsShutDown)
        {
            End(operation, -Errno.EINVAL);
            return;
        }

        while (true)
        {
            // The descriptor is taken first, also where nobody waits. Facts: kernel.md, f.
            if (_descriptors.Count >= Faults.DescriptorLimit && !_descriptors.Contains(null))
            {
                Mark("accept: descriptors ran out");
                if (++_refusedAccepts > MostRefusedAccepts)
                {
                    Violate($"accepting goes on without descriptors: {_refusedAccepts} times so far");
                }

                End(operation, -Errno.EMFILE);
                return;
            }

            if (!listener.Backlog.TryDequeue(out StreamSocket? socket))
            {
                Park(operation);
                return;
            }

            int descriptor = Open(socket);
            if (IsFull || !operation.IsMultishot || _dice.Chance(Faults.EndWithResult))
            {
                Mark("accept: ended with a connection");
                End(operation, descriptor);
                return;
            }

            Post(operation.UserData, descriptor, CqeFlags.More);
        }
    }

    private void GoOnPolling(Operation operation, EventCounter counter)
    {
        if (counter.Value == 0)
        {
            Park(operation);
            return;
        }

        if (!operation.IsMultishot || IsFull || _dice.Chance(Faults.EndWithResult))
        {
            End(operation, (int)SocketConstants.PollIn);
            return;
        }

        // Nobody reads the counter, so only a further write wakes again.
        Post(operation.UserData, (int)SocketConstants.PollIn, CqeFlags.More);
        Park(operation);
    }

    /// <summary>A multishot keeps its place among those who wait, any other operation comes anew.</summary>
    private static void Park(Operation operation)
    {
        List<Operation> waiting = operation.File!.Waiting;
        if (!operation.IsMultishot)
        {
            waiting.Remove(operation);
        }

        if (!waiting.Contains(operation))
        {
            waiting.Add(operation);
        }
    }

    private int Cancel(ulong userData)
    {
        foreach (Operation operation in _ring.InFlight)
        {
            bool isInReach = operation.File is not null && !operation.IsDone && !operation.IsBeyondCancel;
            if (operation.UserData != userData || !isInReach)
            {
                continue;
            }

            if (operation.IsQueued)
            {
                Mark("cancel: met an operation on its way");
            }

            if (operation.Opcode == Opcode.Connect)
            {
                Mark("connect: cancelled");
            }

            // Its own completion comes from a work, behind that of the cancel.
            operation.IsCancelled = true;
            QueueWork(operation);
            return 0;
        }

        Mark("cancel: found nothing");
        return -Errno.ENOENT;
    }

    private void End(Operation operation, int result, uint flags = 0)
    {
        if (operation.IsDone)
        {
            Violate($"operation {operation.Opcode} ended twice");
        }

        operation.IsDone = true;
        _ring.InFlight.Remove(operation);
        NoteEnded(operation, result);
        Post(operation.UserData, result, flags);
        if (operation.File is { } file)
        {
            file.Waiting.Remove(operation);
            file.LetGo();
        }

        if (operation.Next is { } next)
        {
            // It is not started here, but as a work: behind what waits already.
            next.IsLinkedNext = true;
            QueueWork(next);
        }

        if (!operation.IsQueued)
        {
            _spare.Push(operation);
        }
    }
}
