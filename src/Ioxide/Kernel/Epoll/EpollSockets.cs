namespace Ioxide;

/// <summary>What is done on sockets for the entries of a ring. Here: accepts and connects.</summary>
internal sealed unsafe partial class EpollSockets(EpollRing ring)
{
    internal void GoOnAccepting(EpollOperation operation)
    {
        while (true)
        {
            // Handed in: its mode is the open file's, which others may share. One that accepts in between makes this wait for the next client.
            if (operation.IsBlockingListener && !EpollCalls.IsReadable(operation.Descriptor))
            {
                ring.Waits.Park(operation);
                return;
            }

            int accepted = ring.Kernel.Accept(operation.Descriptor, (int)operation.Entry.OperationFlags);
            if (accepted == -Errno.EAGAIN)
            {
                ring.Waits.Park(operation);
                return;
            }

            if (accepted < 0 || ring.IsFull || !operation.IsMultishot)
            {
                ring.End(operation, accepted);
                return;
            }

            ring.Post(operation.Entry.UserData, accepted, CqeFlags.More);
        }
    }

    internal void BeginConnect(EpollOperation operation)
    {
        int changed = ring.Kernel.SetNonBlocking(operation.Descriptor, isNonBlocking: true);
        if (changed < 0)
        {
            ring.End(operation, changed);
            return;
        }

        operation.WasMadeNonBlocking = changed > 0;
        GoOnConnecting(operation);
    }

    internal void GoOnConnecting(EpollOperation operation)
    {
        bool isFirst = !operation.IsFindable;
        int result = EpollCalls.Connect(operation.Descriptor, operation.Entry.Address, operation.Entry.Offset);
        bool isAnswer = result != -Errno.EINPROGRESS;
        if (!isAnswer)
        {
            // The loopback device has answered by now.
            result = EpollCalls.Connect(operation.Descriptor, operation.Entry.Address, operation.Entry.Offset);
        }

        switch (result)
        {
            case -Errno.EINPROGRESS or -Errno.EALREADY:
                ring.Waits.Park(operation);
                break;
            case -Errno.EAGAIN:
                ring.Waits.RetryLater(operation);
                break;
            default:
                operation.RestoreMode();
                result = result == -Errno.EISCONN ? 0 : result;
                if (isFirst && !isAnswer)
                {
                    // It ends behind the batch, and a cancel comes too late.
                    operation.IsBeyondCancel = true;
                    operation.Answer = result;
                    ring.Waits.Name(operation);
                    ring.QueueWork(operation);
                    break;
                }

                ring.End(operation, result);
                break;
        }
    }
}
