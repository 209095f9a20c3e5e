namespace Ioxide.LoadKit;

/// <summary>How a client comes and goes.</summary>
internal enum VisitKind
{
    /// <summary>One to three requests, then the client closes.</summary>
    Close,

    /// <summary>A request that asks for the end; the server closes.</summary>
    ServerCloses,

    /// <summary>Nothing is said.</summary>
    CloseWithoutRequest,

    /// <summary>RST and nothing else.</summary>
    ResetWithoutRequest,

    /// <summary>FIN and nothing else; the server closes.</summary>
    FinishWithoutRequest,

    /// <summary>A part of a request's head, and RST.</summary>
    ResetInRequest,

    /// <summary>A request, and RST before its answer is read.</summary>
    ResetAfterRequest,

    /// <summary>A request, its answer, and RST.</summary>
    ResetAfterReply,

    /// <summary>A request, FIN, and then all that comes is read.</summary>
    HalfClose,

    /// <summary>The client goes away in the middle of a large answer.</summary>
    Abandon,
}
