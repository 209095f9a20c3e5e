namespace Ioxide.Http2.Tests;

/// <summary>Which threads run the steps of a program.</summary>
internal enum ProgramMode
{
    /// <summary>The one that the server chose: on the engine the reactor.</summary>
    Reactor,

    /// <summary>The pool, by <c>RunOnThreadPool()</c>.</summary>
    Pool,

    /// <summary>All in one <c>Task.Run</c>.</summary>
    Task,

    /// <summary>Each in a <c>Task.Run</c> of its own.</summary>
    Threads,
}
