namespace Ioxide.Files;

/// <summary>What the front door makes of a request head.</summary>
internal enum HeadKind
{
    /// <summary>Its end has not come yet.</summary>
    Incomplete,

    /// <summary>A plain GET or HEAD, which may be for a file.</summary>
    Plain,

    /// <summary>The server's to answer; where the request ends is known all the same.</summary>
    Bounded,

    /// <summary>The server's to answer, and to say where it ends: the door stays shut for the rest of the connection.</summary>
    Unbounded,
}
