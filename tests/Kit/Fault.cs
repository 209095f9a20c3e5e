namespace Ioxide.TestKit;

/// <summary>
/// What <see cref="FaultyKernel"/> does instead of what it was asked for: each is something that Linux may do, and that
/// the runtime promises to survive without the application noticing.
/// </summary>
internal enum Fault
{
    /// <summary>The enter does nothing and gives EINTR.</summary>
    EnterInterrupted,

    /// <summary>The enter takes no entry and gives EBUSY.</summary>
    EnterBusy,

    /// <summary>The enter takes no entry and gives EAGAIN.</summary>
    EnterAgain,

    /// <summary>The enter takes some of the entries and does not wait, as where memory for requests ran out.</summary>
    EnterTakesSome,

    /// <summary>The enter takes every entry and does not wait, as where a signal came.</summary>
    EnterDoesNotWait,

    /// <summary>The enter is content with one completion.</summary>
    EnterWaitsForOne,

    /// <summary>The wait is over at once, empty-handed or not.</summary>
    EnterTimesOut,

    /// <summary>The thread loses its processor before the enter.</summary>
    EnterLate,

    /// <summary>Completions of different operations come in another order.</summary>
    CompletionsReordered,

    /// <summary>A receive ends with EINTR.</summary>
    ReceiveInterrupted,

    /// <summary>A receive ends with EAGAIN.</summary>
    ReceiveAgain,

    /// <summary>A receive ends with ENOBUFS though buffers are lent.</summary>
    ReceiveNoBuffers,

    /// <summary>A receive asks the socket first and ends with its first completion.</summary>
    ReceivePollsFirst,

    /// <summary>A multishot receive ends with data and without MORE, as where the completion queue is full.</summary>
    ReceiveEndsEarly,

    /// <summary>The stream comes in pieces of a few bytes.</summary>
    ReceiveInPieces,

    /// <summary>A send ends with EINTR.</summary>
    SendInterrupted,

    /// <summary>A send ends with EAGAIN.</summary>
    SendAgain,

    /// <summary>A send ends with ENOBUFS.</summary>
    SendNoBuffers,

    /// <summary>A send ends with ENOMEM.</summary>
    SendNoMemory,

    /// <summary>A send takes fewer bytes than it was given.</summary>
    SendShort,

    /// <summary>A send of vectors takes fewer bytes than it was given.</summary>
    SendMessageShort,

    /// <summary>A send takes what the socket has room for.</summary>
    SendNotAll,

    /// <summary>A send asks the socket first, so it does not complete at once.</summary>
    SendPollsFirst,

    /// <summary>A read of a file ends with EINTR. Only tests that read files ask for it.</summary>
    ReadInterrupted,

    /// <summary>An accept ends with EINTR.</summary>
    AcceptInterrupted,

    /// <summary>An accept ends with ECONNABORTED.</summary>
    AcceptAborted,

    /// <summary>An accept ends with ENFILE.</summary>
    AcceptTableFull,

    /// <summary>An accept ends with ENOMEM.</summary>
    AcceptNoMemory,

    /// <summary>A multishot accept ends with its first connection.</summary>
    AcceptEndsEarly,

    /// <summary>The poll for wake-ups ends with the first.</summary>
    WakeEndsEarly,

    /// <summary>The poll for wake-ups ends with ENOMEM.</summary>
    WakeNoMemory,

    /// <summary>Making a ring gives ENOMEM, which passes.</summary>
    SetupNoMemory,

    /// <summary>Making a ring gives EINVAL for flags of newer kernels.</summary>
    SetupInvalidFlags,

    /// <summary>The ring has much smaller queues than it was asked for.</summary>
    SetupSmallQueues,

    /// <summary>The ring lacks the features of newer kernels.</summary>
    SetupOldFeatures,

    /// <summary>Registering the ring's descriptor gives EINVAL.</summary>
    RegisterDescriptorInvalid,

    /// <summary>Registering the receive buffers gives ENOMEM.</summary>
    RegisterBuffersNoMemory,

    /// <summary>Making the wake-up counter gives ENOMEM, which passes.</summary>
    EventNoMemory,

    /// <summary>Mapping the ring of receive buffers gives ENOMEM.</summary>
    MapBuffersNoMemory,

    /// <summary>Binding gives EADDRINUSE, as right after the last owner of the port was killed.</summary>
    BindInUse,

    /// <summary>accept(2) on a listener that ends gives ECONNABORTED.</summary>
    DrainAborted,

    /// <summary>The limit of open files is so low that only the reserve is left.</summary>
    LimitReached,

    /// <summary>The kernel does not tell how many descriptors are open, as before Linux 6.2 and without /proc.</summary>
    CountUnknown,

    /// <summary>The descriptor that shows the lowest free number, where the count is not told, gives EMFILE.</summary>
    LookTableFull,
}
