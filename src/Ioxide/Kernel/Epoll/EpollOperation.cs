namespace Ioxide;

/// <summary>One entry that an epoll ring has taken and not completed. Pooled; its memory for vectors stays with it.</summary>
/// <remarks>Threads: the reactor's, but for a file read, whose result a thread of the pool writes before it hands the operation back.</remarks>
internal sealed unsafe class EpollOperation : IThreadPoolWorkItem
{
    internal const int NoAnswer = int.MinValue;

    private MessageHeader* _message;
    private int _vectorCapacity;

    internal EpollOperation(EpollRing ring) => Ring = ring;

    internal EpollRing Ring { get; }

    internal Sqe Entry;

    /// <summary>The next one of its chain.</summary>
    internal EpollOperation? Next;

    internal EpollOperation? NextOfHash;
    internal EpollOperation? NextOfFile;
    internal EpollOperation? PreviousOfFile;
    internal EpollOperation? NextWork;

    /// <summary>What epoll told since it was gone on with.</summary>
    internal uint Events;

    /// <summary>The result that it ends with, or <see cref="NoAnswer"/>.</summary>
    internal int Answer;

    internal long SentBytes;
    internal long RetryAt;

    internal bool IsLinkedNext;
    internal bool IsQueued;
    internal bool IsParked;
    internal bool IsFindable;
    internal bool IsBeyondCancel;
    internal bool IsCancelled;
    internal bool IsDone;
    internal bool IsPlainTcp;
    internal bool IsBlockingListener;
    internal bool WasMadeNonBlocking;
    internal bool IsWithPool;
    internal bool OwnsMessage;

    internal int Descriptor => Entry.Descriptor;

    internal bool IsMultishot => Entry.Opcode switch
    {
        Opcode.Receive => (Entry.IoPriority & OperationFlags.ReceiveMultishot) != 0,
        Opcode.Accept => (Entry.IoPriority & OperationFlags.AcceptMultishot) != 0,
        Opcode.PollAdd => (Entry.Length & OperationFlags.PollMultishot) != 0,
        _ => false,
    };

    /// <summary>What it waits for on its descriptor.</summary>
    internal uint Interest => Entry.Opcode switch
    {
        Opcode.PollAdd => Entry.OperationFlags,
        Opcode.Send or Opcode.SendMessage or Opcode.Connect => EpollCalls.Out,
        Opcode.Accept => EpollCalls.In,
        _ => EpollCalls.In | EpollCalls.PeerFinished | EpollCalls.Urgent,
    };

    /// <summary>The message of a send that continues.</summary>
    internal MessageHeader* Message => OwnsMessage ? _message : (MessageHeader*)Entry.Address;

    internal void Start(in Sqe entry)
    {
        Debug.Assert(!IsQueued && !IsParked && !IsFindable && !IsWithPool);
        Entry = entry;
        Next = null;
        Events = 0;
        Answer = NoAnswer;
        SentBytes = 0;
        RetryAt = 0;
        IsLinkedNext = false;
        IsBeyondCancel = false;
        IsCancelled = false;
        IsDone = false;
        IsPlainTcp = false;
        IsBlockingListener = false;
        WasMadeNonBlocking = false;
        OwnsMessage = false;
    }

    /// <summary>Copies the header and its vectors, which belong to the submitter again when enter returns. Control data are referenced.</summary>
    internal void KeepMessage()
    {
        if (OwnsMessage)
        {
            return;
        }

        var source = (MessageHeader*)Entry.Address;
        int count = (int)source->VectorCount;
        if (_message is null || count > _vectorCapacity)
        {
            nuint bytes = (nuint)(MessageHeader.SizeInBytes + (count * IoVector.SizeInBytes));
            _message = (MessageHeader*)NativeMemory.Realloc(_message, bytes);
            _vectorCapacity = count;
        }

        *_message = *source;
        var vectors = (IoVector*)((byte*)_message + MessageHeader.SizeInBytes);
        NativeMemory.Copy((void*)source->Vectors, vectors, (nuint)(count * IoVector.SizeInBytes));
        _message->Vectors = (ulong)vectors;
        OwnsMessage = true;
    }

    /// <summary>Leaves out what was sent, and the control data, which were for its first byte.</summary>
    internal void SkipSent(long bytes)
    {
        Debug.Assert(OwnsMessage);
        _message->Control = 0;
        _message->ControlLength = 0;
        while (bytes > 0)
        {
            Debug.Assert(_message->VectorCount > 0);
            var vector = (IoVector*)_message->Vectors;
            long step = Math.Min(bytes, (long)vector->Length);
            vector->Base += (ulong)step;
            vector->Length -= (ulong)step;
            bytes -= step;
            if (vector->Length == 0)
            {
                _message->Vectors += IoVector.SizeInBytes;
                _message->VectorCount--;
            }
        }
    }

    /// <summary>Gives a socket that was made non-blocking for a connect its mode back.</summary>
    internal void RestoreMode()
    {
        if (WasMadeNonBlocking)
        {
            WasMadeNonBlocking = false;
            _ = Ring.Kernel.SetNonBlocking(Descriptor, isNonBlocking: false);
        }
    }

    internal void Free()
    {
        NativeMemory.Free(_message);
        _message = null;
        _vectorCapacity = 0;
    }

    /// <summary>Reads the rest of a file's piece on a thread of the pool.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        uint done = (uint)SentBytes;
        int result = EpollCalls.Read(Descriptor, Entry.Address + done, Entry.Length - done, Entry.Offset + done);
        Answer = result >= 0 ? (int)done + result : done > 0 ? (int)done : result == -Errno.ESPIPE ? NoAnswer : result;
        Ring.Reads.ReadEnded(this);
    }
}
