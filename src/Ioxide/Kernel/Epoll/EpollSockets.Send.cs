namespace Ioxide;

/// <summary>Sends: tried at once, and gone on with where room comes.</summary>
internal sealed unsafe partial class EpollSockets
{
    internal void GoOnSending(EpollOperation operation)
    {
        bool isMessage = operation.Entry.Opcode == Opcode.SendMessage;
        bool waitsForAll = (operation.Entry.OperationFlags & SocketConstants.MessageWaitAll) != 0;
        long total = isMessage ? LengthOf(operation) : operation.Entry.Length;
        int sent = isMessage
            ? EpollCalls.SendMessage(operation.Descriptor, operation.Message, operation.Entry.OperationFlags)
            : ring.Kernel.Send(
                operation.Descriptor,
                (byte*)operation.Entry.Address + operation.SentBytes,
                (nuint)(operation.Entry.Length - operation.SentBytes),
                operation.Entry.OperationFlags | SocketConstants.MessageDoNotWait);
        bool mustPark = sent == -Errno.EAGAIN;
        if (sent >= 0)
        {
            operation.SentBytes += sent;
            mustPark = operation.SentBytes < total && waitsForAll;
        }

        if (!mustPark)
        {
            // The count takes the place of an error, which is lost then.
            ring.End(operation, sent >= 0 || operation.SentBytes > 0 ? (int)operation.SentBytes : sent);
            return;
        }

        if (isMessage)
        {
            operation.KeepMessage();
            if (sent > 0)
            {
                operation.SkipSent(sent);
            }
        }

        ring.Waits.Park(operation);
    }

    private static long LengthOf(EpollOperation operation)
    {
        MessageHeader* message = operation.Message;
        var vectors = (IoVector*)message->Vectors;
        long length = operation.SentBytes;
        for (ulong index = 0; index < message->VectorCount; index++)
        {
            length += (long)vectors[index].Length;
        }

        return length;
    }
}
