namespace Ioxide.Simulation;

/// <summary>An operation between its submission and its last completion: the kernel's copy of the entry.</summary>
internal sealed unsafe class Operation
{
    internal Sqe Entry;

    internal SimulatedFile? File { get; set; }

    /// <summary>The ring that it was submitted to.</summary>
    internal int RingNumber { get; private set; }

    /// <summary>The operation that starts when this one ends.</summary>
    internal Operation? Next { get; set; }

    /// <summary>The operation before it has ended; it waits to be started.</summary>
    internal bool IsLinkedNext { get; set; }

    /// <summary>It waits among the works of the ring.</summary>
    internal bool IsQueued { get; set; }

    /// <summary>It was ready when it was submitted, and is gone on with: a cancel does not find it.</summary>
    internal bool IsBeyondCancel { get; set; }

    internal bool IsCancelled { get; set; }

    /// <summary>What became of a connect; null while there is no answer.</summary>
    internal int? Answer { get; set; }

    internal bool IsDone { get; set; }

    /// <summary>Bytes that were sent so far.</summary>
    internal long Sent { get; set; }

    /// <summary>Memory to send; the kernel has copied the vectors, not what they point to.</summary>
    internal List<(nint Address, long Length)> Vectors { get; } = [];

    internal long TotalLength { get; set; }

    internal ulong UserData => Entry.UserData;

    internal Opcode Opcode => Entry.Opcode;

    internal bool IsMultishot => Entry.Opcode switch
    {
        Opcode.Receive => (Entry.IoPriority & OperationFlags.ReceiveMultishot) != 0,
        Opcode.Accept => (Entry.IoPriority & OperationFlags.AcceptMultishot) != 0,
        Opcode.PollAdd => (Entry.Length & OperationFlags.PollMultishot) != 0,
        _ => false,
    };

    internal void Start(in Sqe entry, int ringNumber)
    {
        Entry = entry;
        RingNumber = ringNumber;
        File = null;
        Next = null;
        IsLinkedNext = false;
        IsQueued = false;
        IsBeyondCancel = false;
        IsCancelled = false;
        Answer = null;
        IsDone = false;
        Sent = 0;
        TotalLength = 0;
        Vectors.Clear();
    }
}
