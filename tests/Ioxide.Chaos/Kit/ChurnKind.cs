namespace Ioxide.Chaos;

/// <summary>How a connection of <see cref="Churn"/> goes.</summary>
internal enum ChurnKind
{
    /// <summary>One to three requests, then the client closes.</summary>
    Close,

    /// <summary>A request that asks for the end; the server closes.</summary>
    ServerCloses,

    /// <summary>Nothing is said.</summary>
    CloseWithoutRequest,

    /// <summary>RST and nothing else.</summary>
    ResetWithoutRequest,

    /// <summary>A request, and RST before its answer is read.</summary>
    ResetAfterRequest,

    /// <summary>A request, FIN, and then all that comes is read.</summary>
    HalfClose,

    /// <summary>The client goes away in the middle of a large answer.</summary>
    Abandon,
}
