namespace Ioxide.Files;

/// <summary>A folder as it was at one moment: every path that is answered, and with what. Immutable. Threads: any.</summary>
internal sealed class FileSnapshot
{
    private readonly string[] _defaultDocuments;

    /// <param name="root">The folder that was opened; null before the first loading.</param>
    /// <param name="folder">What it has.</param>
    /// <param name="chunks">The memory that the files lie in, with the bytes of files in each.</param>
    /// <param name="options">What else is answered.</param>
    internal FileSnapshot(FileRoot? root, Folder folder, IReadOnlyDictionary<BodyChunk, long> chunks, IoxideFilesOptions options)
    {
        Root = root;
        Folder = folder;
        Chunks = chunks;
        _defaultDocuments = [.. options.DefaultDocuments];
        Fallback = options.FallbackFile is { } file ? Find("/" + file.TrimStart('/')) : null;
    }

    internal static FileSnapshot Empty { get; } = new(
        null, new Folder("", default, isLinked: false, NameTable.Empty, [], [], default), new Dictionary<BodyChunk, long>(),
        new IoxideFilesOptions());

    internal Folder Folder { get; }

    internal IReadOnlyDictionary<BodyChunk, long> Chunks { get; }

    internal FileRoot? Root { get; }

    internal FileEntry? Fallback { get; }

    internal int FileCount => Folder.Totals.Files;

    internal int DiskFileCount => Folder.Totals.DiskFiles;

    internal long MemoryBytes => Folder.Totals.MemoryBytes;

    /// <summary>What a decoded path is answered with, or null.</summary>
    /// <param name="path">Empty for the root without its slash.</param>
    internal FileEntry? Find(ReadOnlySpan<char> path)
    {
        if (path.IsEmpty || path[0] != '/')
        {
            return null;
        }

        ReadOnlySpan<char> below = path[1..];
        FolderItem? item = below.IsEmpty ? Folder : below is "/" ? null : Folder.Find(below.EndsWith('/') ? below[..^1] : below);
        item = path[^1] != '/' ? item : item is Folder folder ? DefaultOf(folder) : null;
        return item is FileEntry { IsServed: true } entry ? entry : null;
    }

    /// <summary>Whether the path is a folder that lacks its slash.</summary>
    internal bool IsFolder(ReadOnlySpan<char> path)
        => (path.IsEmpty || (path[0] == '/' && path.Length > 1))
            && Folder.Find(path.IsEmpty ? path : path[1..]) is Folder folder
            && DefaultOf(folder) is not null;

    private FileEntry? DefaultOf(Folder folder)
    {
        foreach (string document in _defaultDocuments)
        {
            if (folder.Find(document) is FileEntry { IsServed: true } entry)
            {
                return entry;
            }
        }

        return null;
    }
}
