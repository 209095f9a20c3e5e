namespace Ioxide.Simulation;

/// <summary>Sends: what they read, and when.</summary>
internal sealed unsafe partial class SimulatedKernel
{
    private static void CopyVectors(Operation operation)
    {
        var header = (MessageHeader*)operation.Entry.Address;
        var vectors = (IoVector*)header->Vectors;
        for (ulong index = 0; index < header->VectorCount; index++)
        {
            operation.Vectors.Add(((nint)vectors[index].Base, (long)vectors[index].Length));
            operation.TotalLength += (long)vectors[index].Length;
        }
    }

    private void GoOnSending(Operation operation, StreamSocket socket)
    {
        if (socket.IsReset || socket.IsWriteShut)
        {
            if (operation.Sent > 0)
            {
                // The count takes the place of the error, which nobody gets then.
                Mark("send: reset while parked");
                socket.HasError = false;
                End(operation, (int)operation.Sent);
                return;
            }

            bool isFirst = socket.HasError;
            socket.HasError = false;
            Mark("send: broken pipe");
            End(operation, isFirst ? -Errno.ECONNRESET : -Errno.EPIPE);
            return;
        }

        while (operation.Sent < operation.TotalLength)
        {
            int room = socket.SendRoom;
            if (room > 1 && _dice.Chance(Faults.ShortSend))
            {
                room = _dice.Between(1, room);
            }

            if (room == 0)
            {
                bool waitsForAll = (operation.Entry.OperationFlags & SocketConstants.MessageWaitAll) != 0;
                if (operation.Sent > 0 && !waitsForAll)
                {
                    break;
                }

                Mark("send: parked");
                Park(operation);
                return;
            }

            CopyOut(operation, socket, room);
            if (operation.Sent < operation.TotalLength && _dice.Chance(Faults.ShortSend))
            {
                if (_dice.Chance(200))
                {
                    // A signal ends it, also one that waits for all.
                    Mark("send: cut short");
                    break;
                }

                Park(operation);
                QueueWork(operation);
                return;
            }
        }

        End(operation, (int)operation.Sent);
    }

    /// <summary>Reads the memory now, which may be long after the send was submitted.</summary>
    private static void CopyOut(Operation operation, StreamSocket socket, int room)
    {
        long skip = operation.Sent;
        foreach ((nint address, long length) in operation.Vectors)
        {
            if (skip >= length)
            {
                skip -= length;
                continue;
            }

            int count = (int)Math.Min(length - skip, room);
            socket.TakeSent(new ReadOnlySpan<byte>((void*)(address + (nint)skip), count));
            operation.Sent += count;
            room -= count;
            skip = 0;
            if (room == 0)
            {
                return;
            }
        }
    }
}
