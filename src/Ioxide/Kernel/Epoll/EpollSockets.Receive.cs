namespace Ioxide;

/// <summary>Receives: a buffer of the group for each, read until a read is short.</summary>
internal sealed unsafe partial class EpollSockets
{
    // A multishot that has more to do after so many completions lets the others have their turn.
    private const int RoundsPerWork = 33;

    // With one of these, a short read does not say that the next one finds nothing.
    private const uint MoreBehindShort = EpollCalls.PeerFinished | EpollCalls.HangUp | EpollCalls.Error | EpollCalls.Urgent;

    internal void BeginReceive(EpollOperation operation)
    {
        if ((operation.Entry.IoPriority & OperationFlags.PollFirst) != 0)
        {
            ParkReceive(operation);
        }
        else
        {
            GoOnReceiving(operation, EpollCalls.In);
        }
    }

    internal void GoOnReceiving(EpollOperation operation, uint events)
    {
        if ((events & (EpollCalls.In | MoreBehindShort)) == 0)
        {
            return;
        }

        if ((operation.Entry.Flags & SqeFlags.BufferSelect) == 0)
        {
            ReceiveInto(operation);
            return;
        }

        for (int round = 0; round < RoundsPerWork; round++)
        {
            // Before the socket is looked at, also where there is only the end.
            ushort group = operation.Entry.BufferGroup;
            BufferRingEntry* buffer = ring.NextBuffer(group);
            if (buffer is null && (round == 0 || (events & MoreBehindShort) != 0 || HasMore(operation)))
            {
                ring.End(operation, -Errno.ENOBUFS);
                return;
            }

            if (buffer is null)
            {
                ParkReceive(operation);
                return;
            }

            uint length = buffer->Length;
            int count = EpollCalls.Receive(operation.Descriptor, buffer->Address, length, operation.Entry.OperationFlags);
            if (count <= 0)
            {
                EndOrPark(operation, count);
                return;
            }

            uint flags = CqeFlags.Buffer | ((uint)buffer->BufferId << CqeFlags.BufferShift);
            ring.TakeBuffer(group);
            if (ring.IsFull || !operation.IsMultishot)
            {
                ring.End(operation, count, flags);
                return;
            }

            ring.Post(operation.Entry.UserData, count, flags | CqeFlags.More);
            bool isDrained = count < length && (!operation.IsParked || (operation.IsPlainTcp && (events & MoreBehindShort) == 0));
            if (isDrained)
            {
                ParkReceive(operation);
                return;
            }
        }

        // On the descriptor's list, so that a close finds it.
        ParkReceive(operation);
        if (!operation.IsDone)
        {
            operation.Events |= events;
            ring.QueueWork(operation);
        }
    }

    /// <summary>Whether a receive would return at once, where no buffer is left to receive into.</summary>
    private bool HasMore(EpollOperation operation) => ring.Kernel.BytesAvailable(operation.Descriptor) != 0;

    private void ReceiveInto(EpollOperation operation)
    {
        int count = EpollCalls.Receive(
            operation.Descriptor, operation.Entry.Address, operation.Entry.Length, operation.Entry.OperationFlags);
        if (count > 0)
        {
            ring.End(operation, count);
        }
        else
        {
            EndOrPark(operation, count);
        }
    }

    private void EndOrPark(EpollOperation operation, int result)
    {
        if (result == -Errno.EAGAIN)
        {
            ParkReceive(operation);
        }
        else
        {
            ring.End(operation, result);
        }
    }

    private void ParkReceive(EpollOperation operation)
    {
        if (!operation.IsParked && operation.IsMultishot)
        {
            operation.IsPlainTcp = EpollCalls.IsPlainTcp(operation.Descriptor);
        }

        ring.Waits.Park(operation);
    }
}
