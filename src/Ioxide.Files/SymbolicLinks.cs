namespace Ioxide.Files;

/// <summary>How symbolic links below a mapped folder are treated.</summary>
public enum SymbolicLinks
{
    /// <summary>They are not served.</summary>
    Refuse,

    /// <summary>They are followed where they lead to a place below the same folder. The kernel checks this each time it opens a file.</summary>
    FollowInside,

    /// <summary>They are followed wherever they lead. Anyone who can create a link in the folder can publish any file.</summary>
    FollowAnywhere,
}
