namespace Ioxide.Files;

/// <summary>A folder as it was at one moment: every path that is answered, and with what. Immutable. Threads: any.</summary>
internal sealed class FileSnapshot
{
    private readonly Dictionary<string, FileEntry>.AlternateLookup<ReadOnlySpan<char>> _byPath;
    private readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _folders;

    /// <param name="entries">By decoded path, with a slash in front.</param>
    /// <param name="folders">Folders with a default document, with a slash in front and none behind; the root is empty.</param>
    /// <param name="contents">Every file that was found, by path from the root, for the next snapshot.</param>
    /// <param name="fallback">What paths without a file are answered with; null for nothing.</param>
    internal FileSnapshot(
        Dictionary<string, FileEntry> entries, HashSet<string> folders, Dictionary<string, FileContent> contents, FileEntry? fallback)
    {
        Entries = entries;
        _byPath = entries.GetAlternateLookup<ReadOnlySpan<char>>();
        _folders = folders.GetAlternateLookup<ReadOnlySpan<char>>();
        Contents = contents;
        Fallback = fallback;
        foreach (FileContent content in contents.Values)
        {
            MemoryBytes += content.IsOnDisk ? 0 : content.Length + CopiesOf(content);
            DiskFileCount += content.IsOnDisk ? 1 : 0;
        }
    }

    internal static FileSnapshot Empty { get; } = new([], [], [], null);

    /// <summary>What is answered, by decoded path with a slash in front.</summary>
    internal IReadOnlyDictionary<string, FileEntry> Entries { get; }

    internal Dictionary<string, FileContent> Contents { get; }

    /// <summary>What the contents were found by; null before the first loading.</summary>
    internal FolderListing? Listing { get; init; }

    internal FileEntry? Fallback { get; }

    internal int FileCount => Contents.Count;

    internal int DiskFileCount { get; }

    internal long MemoryBytes { get; }

    /// <summary>What a decoded path is answered with, or null.</summary>
    /// <param name="path">Empty for the root without its slash.</param>
    internal FileEntry? Find(ReadOnlySpan<char> path) => _byPath.TryGetValue(path, out FileEntry? entry) ? entry : null;

    /// <summary>Whether the path is a folder that lacks its slash.</summary>
    internal bool IsFolder(ReadOnlySpan<char> path) => _folders.Contains(path);

    private static long CopiesOf(FileContent content)
        => (content.Copies?.Brotli?.Body.Bytes.Length ?? 0) + (content.Copies?.Gzip?.Body.Bytes.Length ?? 0);
}
