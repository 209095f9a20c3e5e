namespace Ioxide.Files;

/// <summary>What a folder has to serve, found and described and not read. Immutable. Threads: any.</summary>
/// <param name="Root">The folder.</param>
/// <param name="Scan">The folders and links that lead to the files.</param>
/// <param name="Versions">The files that are served and can be opened, by path from the root.</param>
internal sealed record FolderListing(FileRoot Root, FolderScan Scan, Dictionary<string, FileVersion> Versions)
{
    /// <summary>Whether the same files in the same versions were found.</summary>
    internal bool HasSameFiles(FolderListing other)
        => Root.Identity == other.Root.Identity
            && Versions.Count == other.Versions.Count
            && Versions.All(file => other.Versions.TryGetValue(file.Key, out FileVersion version) && version == file.Value);
}
