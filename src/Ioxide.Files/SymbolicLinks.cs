namespace Ioxide.Files;

/// <summary>What becomes of symbolic links below a folder of files.</summary>
public enum SymbolicLinks
{
    /// <summary>They are not there for clients.</summary>
    Refuse,

    /// <summary>They are followed where they lead to a place below the same folder. The kernel checks it at each open.</summary>
    FollowInside,

    /// <summary>They are followed wherever they lead. Whoever can make a link in the folder can publish any file.</summary>
    FollowAnywhere,
}
