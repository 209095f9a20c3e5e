namespace Ioxide.Tls;

/// <summary>One handshake in its <see cref="HandshakeLimit"/>: whom it waits for, and what it costs.</summary>
/// <remarks>Threads: one at a time; the room's lock guards what the room reads.</remarks>
internal sealed class HandshakeThread : IDisposable
{
    private readonly HandshakeLimit _room;

    internal HandshakeThread(HandshakeLimit room, HandshakeDeadline deadline)
    {
        _room = room;
        Deadline = deadline;
        Node = new LinkedListNode<HandshakeThread>(this);
    }

    internal HandshakeDeadline Deadline { get; }

    internal LinkedListNode<HandshakeThread> Node { get; }

    internal int Units { get; set; }

    internal bool IsDropped { get; set; }

    internal SemaphoreSlim BlockingSteps => _room.BlockingSteps;

    /// <summary>A part of the hello is here. It does not end the silence.</summary>
    /// <remarks>What came in one go lies in a block of its own, however short it is; the unit holds the first.</remarks>
    internal void NotePartOfHello(in ReadOnlySequence<byte> hello)
    {
        int keptBytes = 0;
        foreach (ReadOnlyMemory<byte> piece in hello)
        {
            keptBytes += Math.Max(piece.Length, ReactorMemory.SmallBlockBytes);
        }

        int units = 1 + (Math.Max(0, keptBytes - ReactorMemory.SmallBlockBytes) / HandshakeLimit.UnitBytes);
        if (units != Units)
        {
            _room.Change(this, null, units, isMoved: false);
        }
    }

    /// <summary>The client's message is whole: from here on it waits for this side.</summary>
    internal void BeginWaitForTurn() => _room.Change(this, _room.Queued, Units, isMoved: true);

    internal void BeginStep() => _room.Change(this, null, Units, isMoved: true);

    /// <summary>The client was answered, and owes a message.</summary>
    internal void BeginWaitForClient() => _room.Change(this, _room.Silent, HandshakeLimit.AnsweredUnits, isMoved: true);

    public void Dispose() => _room.Change(this, null, 0, isMoved: true);
}
