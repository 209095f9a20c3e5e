namespace Ioxide;

/// <summary>What a reactor needs from its connections. Threads: the reactor's.</summary>
internal interface IReactorConnection : ICompletionTarget
{
    /// <summary>The connection's reactor.</summary>
    Reactor Reactor { get; }

    /// <summary>The connection's slot among the targets of the reactor's operations.</summary>
    int SlotIndex { get; }

    /// <summary>Why the connection ended, or <see cref="CloseReason.None"/>.</summary>
    CloseReason CloseReason { get; }

    /// <summary>Requests a call of <see cref="EndTurn"/> at the end of this turn.</summary>
    void MarkDirty();

    /// <summary>Does the deferred work of the turn: sends queued bytes, closes an ended connection.</summary>
    void EndTurn();

    /// <summary>A receive buffer is free for this connection; false if it no longer needs one.</summary>
    bool EndStarvation();

    /// <summary>Ends a receive that waits on a retiring group of buffers.</summary>
    void LeaveRetiredBuffers();

    /// <summary>The reactor has ended: from here on, operations fail with that reason.</summary>
    void NoteReactorEnded(Exception reason);
}
