namespace Ioxide.Files;

/// <summary>What a name in a folder stands for: a file, or a folder. Immutable.</summary>
/// <param name="name">In the folder.</param>
internal abstract class FolderItem(string name)
{
    internal string Name { get; } = name;

    internal abstract FolderTotals Totals { get; }
}

/// <summary>What files and folders amount to, with everything below them.</summary>
/// <param name="Files">Files that are served, and their coded siblings.</param>
/// <param name="DiskFiles">Files that are left on disk.</param>
/// <param name="Bytes">The length of all files.</param>
/// <param name="MemoryBytes">The length of those in memory.</param>
/// <param name="Links">Symbolic links that are followed, also those that lead nowhere.</param>
/// <param name="LinkedFolders">Folders that links lead to, and those in them.</param>
internal readonly record struct FolderTotals(int Files, int DiskFiles, long Bytes, long MemoryBytes, int Links, int LinkedFolders)
{
    public static FolderTotals operator +(FolderTotals left, FolderTotals right) => new(
        left.Files + right.Files, left.DiskFiles + right.DiskFiles, left.Bytes + right.Bytes, left.MemoryBytes + right.MemoryBytes,
        left.Links + right.Links, left.LinkedFolders + right.LinkedFolders);

    public static FolderTotals operator -(FolderTotals left, FolderTotals right) => new(
        left.Files - right.Files, left.DiskFiles - right.DiskFiles, left.Bytes - right.Bytes, left.MemoryBytes - right.MemoryBytes,
        left.Links - right.Links, left.LinkedFolders - right.LinkedFolders);
}
