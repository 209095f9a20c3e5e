namespace Ioxide;

/// <summary>What a reactor asks of a connection that lives on it. Threads: the reactor's.</summary>
internal interface IReactorConnection : ICompletionTarget
{
    /// <summary>The reactor that it lives on.</summary>
    Reactor Reactor { get; }

    /// <summary>Its slot among the targets of the reactor's operations.</summary>
    int SlotIndex { get; }

    /// <summary>Why it ended, or <see cref="CloseReason.None"/>.</summary>
    CloseReason CloseReason { get; }

    /// <summary>Asks for <see cref="EndTurn"/> at the end of this turn.</summary>
    void MarkDirty();

    /// <summary>Does what the turn left to do: sends what was queued, closes what has ended.</summary>
    void EndTurn();

    /// <summary>A receive buffer is free for it; false where it needs none any more.</summary>
    bool EndStarvation();

    /// <summary>Ends a receive that waits on a group of buffers that retires.</summary>
    void LeaveRetiredBuffers();

    /// <summary>The reactor has ended: what fails from here on fails by that.</summary>
    void NoteReactorEnded(Exception reason);
}
