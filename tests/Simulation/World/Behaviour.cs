namespace Ioxide.Simulation;

/// <summary>How the application treats a connection.</summary>
[Flags]
internal enum Behaviour
{
    Echo = 0,

    /// <summary>Consumes less than it looked at.</summary>
    Partly = 1 << 0,

    /// <summary>Sends memory of its own by reference, and spoils it as soon as it gets it back.</summary>
    ByReference = 1 << 1,

    /// <summary>Writes and flushes on another thread.</summary>
    Elsewhere = 1 << 2,

    /// <summary>Waits for a timer between reading and writing.</summary>
    Late = 1 << 3,

    /// <summary>Says that it has nothing to send before it reads anything.</summary>
    FinishesFirst = 1 << 4,

    /// <summary>Its reads are cancelled now and then.</summary>
    Cancelled = 1 << 5,

    /// <summary>Flushes several times a piece.</summary>
    FlushesOften = 1 << 6,

    /// <summary>Lets another thread write a piece while it reads on itself, and then writes the next piece itself.</summary>
    HandsOver = 1 << 7,
}

/// <summary>What ends a connection from the application's side.</summary>
internal enum Ending
{
    /// <summary>The peer's end of the stream.</summary>
    AtEnd,

    /// <summary>It closes after so many bytes, whatever still comes.</summary>
    Closes,

    Aborts,

    /// <summary>It disposes the connection without completing anything.</summary>
    Disposes,
}
