using System.Diagnostics;

namespace Ioxide.TestKit;

/// <summary>What is done to entries before the kernel takes them. Each is looked at once; chains stay.</summary>
/// <remarks>
/// An entry that is to fail becomes a NOP with a result of its own (Linux 6.10), which the kernel completes like any
/// other. The application's memory is not written: a shorter message is described in memory of this object, which stays
/// until the place of the entry is used again.
/// </remarks>
internal sealed unsafe partial class FaultyRing
{
    private const uint NopInjectsResult = 1;
    private const ushort PollFirst = 1;

    private readonly SendVectors?[] _messages;
    private uint _looked;

    private void EditEntries()
    {
        uint tail = *_sqTail;
        bool isChained = false;
        for (; _looked != tail; _looked++)
        {
            Sqe* entry = EntryAt(_looked);
            bool wasChained = isChained;
            isChained = (entry->Flags & SqeFlags.HardLink) != 0;
            if (!wasChained && !isChained)
            {
                Edit(entry);
            }
        }
    }

    private void Edit(Sqe* entry)
    {
        if (FaultSupport.CanInjectResults && Failure(entry->Opcode) is { } errno)
        {
            ulong userData = entry->UserData;
            *entry = new Sqe { Opcode = Opcode.Nop, OperationFlags = NopInjectsResult, Length = (uint)-errno, UserData = userData };
            return;
        }

        switch (entry->Opcode)
        {
            case Opcode.Receive:
                EditReceive(entry);
                break;
            case Opcode.Send:
            case Opcode.SendMessage:
                EditSend(entry);
                break;
            case Opcode.Accept:
                EditAccept(entry);
                break;
            case Opcode.PollAdd when Injects(Fault.WakeEndsEarly):
                entry->Length = 0;
                break;
        }
    }

    private int? Failure(Opcode opcode) => opcode switch
    {
        Opcode.Receive =>
            Injects(Fault.ReceiveInterrupted) ? Errno.EINTR
            : Injects(Fault.ReceiveAgain) ? Errno.EAGAIN
            : Injects(Fault.ReceiveNoBuffers) ? Errno.ENOBUFS
            : null,
        Opcode.Send or Opcode.SendMessage =>
            Injects(Fault.SendInterrupted) ? Errno.EINTR
            : Injects(Fault.SendAgain) ? Errno.EAGAIN
            : Injects(Fault.SendNoBuffers) ? Errno.ENOBUFS
            : Injects(Fault.SendNoMemory) ? Errno.ENOMEM
            : null,
        Opcode.Read => Injects(Fault.ReadInterrupted) ? Errno.EINTR : null,
        Opcode.Accept =>
            Injects(Fault.AcceptInterrupted) ? Errno.EINTR
            : Injects(Fault.AcceptAborted) ? Errno.ECONNABORTED
            : Injects(Fault.AcceptTableFull) ? Errno.ENFILE
            : Injects(Fault.AcceptNoMemory) ? Errno.ENOMEM
            : null,
        Opcode.PollAdd => Injects(Fault.WakeNoMemory) ? Errno.ENOMEM : null,
        _ => null,
    };

    private void EditAccept(Sqe* entry)
    {
        bool isMultishot = (entry->IoPriority & OperationFlags.AcceptMultishot) != 0;
        if (isMultishot && Injects(Fault.AcceptEndsEarly))
        {
            entry->IoPriority = 0;
        }
    }

    private void EditReceive(Sqe* entry)
    {
        bool isMultishot = (entry->IoPriority & OperationFlags.ReceiveMultishot) != 0;
        if (Injects(Fault.ReceivePollsFirst))
        {
            // Not as a multishot: Linux 6.17 to 7.0 loses the end of a unix socket's stream then.
            isMultishot = false;
            entry->IoPriority = PollFirst;
        }

        if (_piecesLeft == 0 && Injects(Fault.ReceiveInPieces))
        {
            const int MostPieces = 64;
            _piecesLeft = 1 + _dice.Below(MostPieces);
        }

        if (_piecesLeft > 0)
        {
            // Not by a multishot with a bound for each completion: Linux 6.18 then loses an end that lies behind the data.
            const int MostPieceBytes = 32;
            _piecesLeft--;
            entry->IoPriority &= PollFirst;
            entry->Length = 1 + (uint)_dice.Below(MostPieceBytes);
        }
        else if (isMultishot && FaultSupport.CanLimitReceives && Injects(Fault.ReceiveEndsEarly))
        {
            // optlen, in FileIndex's place, bounds all completions together.
            entry->FileIndex = 1u << _dice.Below(16);
        }
    }

    private void EditSend(Sqe* entry)
    {
        if (Injects(Fault.SendPollsFirst))
        {
            entry->IoPriority |= PollFirst;
        }

        if (Injects(Fault.SendNotAll))
        {
            entry->OperationFlags &= ~SocketConstants.MessageWaitAll;
        }

        if (entry->Opcode == Opcode.Send)
        {
            if (entry->Length > 1 && Injects(Fault.SendShort))
            {
                entry->OperationFlags &= ~SocketConstants.MessageWaitAll;
                entry->Length = 1 + (uint)_dice.Below((int)entry->Length - 1);
            }
        }
        else if (Injects(Fault.SendMessageShort))
        {
            entry->OperationFlags &= ~SocketConstants.MessageWaitAll;
            Shorten(entry);
        }
    }

    private void Shorten(Sqe* entry)
    {
        MessageHeader* asked = (MessageHeader*)entry->Address;
        Debug.Assert(asked->VectorCount is > 0 and <= SendVectors.MaxVectors);
        SendVectors message = _messages[entry - _entries] ??= new SendVectors();
        int count = 1 + _dice.Below((int)asked->VectorCount);
        new ReadOnlySpan<IoVector>((void*)asked->Vectors, count).CopyTo(new Span<IoVector>(message.Vectors, count));
        IoVector* last = message.Vectors + count - 1;
        last->Length = 1 + (ulong)_dice.Below((int)last->Length);
        *message.Header = *asked;
        message.Header->Vectors = (ulong)message.Vectors;
        message.Header->VectorCount = (ulong)count;
        entry->Address = (ulong)message.Header;
    }
}
