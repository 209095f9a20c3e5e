namespace Ioxide.Simulation;

/// <summary>How a handler treats its request.</summary>
[Flags]
internal enum Handling
{
    AtOnce = 0,

    /// <summary>Waits between its steps.</summary>
    Late = 1 << 0,

    /// <summary>Flushes its answer in several pieces.</summary>
    InPieces = 1 << 1,

    /// <summary>Goes on on another thread, now and then.</summary>
    Elsewhere = 1 << 2,

    /// <summary>Blocks the reactor, now and then.</summary>
    Blocks = 1 << 3,

    /// <summary>Sends memory of its own by reference, and spoils it as soon as it gets it back.</summary>
    ByReference = 1 << 4,

    /// <summary>Reads the body as a stream, not as a pipe.</summary>
    ReadsStream = 1 << 5,

    /// <summary>Does not read the whole body.</summary>
    LeavesBody = 1 << 6,

    /// <summary>Answers before it reads.</summary>
    AnswersFirst = 1 << 7,

    /// <summary>Returns while a read of the body is pending.</summary>
    LeavesRead = 1 << 8,

    /// <summary>Takes the token that says that the request is aborted.</summary>
    Watches = 1 << 9,
}

/// <summary>How an answer ends.</summary>
internal enum AnswerEnd
{
    Whole,

    /// <summary>The handler throws before it has sent anything.</summary>
    Throws,

    /// <summary>The handler throws in the middle.</summary>
    ThrowsLate,

    /// <summary>The handler resets the stream.</summary>
    Resets,
}
