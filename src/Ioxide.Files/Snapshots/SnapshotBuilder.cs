namespace Ioxide.Files;

/// <summary>Makes paths, representations and header fields of the files that were found.</summary>
/// <remarks>
/// It asks what the application gave: a content type provider and a delegate. One that throws costs the file that it was asked
/// about, and nothing else. Threads: any.
/// </remarks>
internal sealed class SnapshotBuilder(IoxideFilesOptions options, SkipLog skips)
{
    private const string Immutable = "max-age=31536000, immutable";

    private static readonly FileCoding[] s_coded = [FileCoding.Brotli, FileCoding.Zstandard, FileCoding.Gzip];

    private readonly KeyValuePair<string, StringValues>[] _custom = [.. options.Headers];

    /// <summary>Whether a path matters: it has a type, or is the coded sibling of a path that has one.</summary>
    internal bool IsServed(string path) => TypeOf(path) is not null || s_coded.Any(coding => OriginalOf(path, coding) is not null);

    /// <summary>The content type of a path, or null: it is not served.</summary>
    /// <remarks>A file whose type cannot be had or sent is not served: another type might let a browser run it.</remarks>
    internal string? TypeOf(string path)
    {
        string? type;
        try
        {
            type = options.ContentTypes.TryGetContentType(path, out string? found) ? found : options.DefaultContentType;
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            skips.Option(path, nameof(options.ContentTypes), exception.Message, "The file is not served.");
            return null;
        }

        if (type is not null && !IoxideFilesOptions.IsFieldValue(type))
        {
            skips.Option(path, nameof(options.ContentTypes), $"'{type}' cannot be sent in a header", "The file is not served.");
            return null;
        }

        return type;
    }

    /// <param name="contents">What was found, by path from the root.</param>
    /// <param name="listing">Where it was found.</param>
    internal FileSnapshot Build(Dictionary<string, FileContent> contents, FolderListing listing)
    {
        var entries = new Dictionary<string, FileEntry>(contents.Count, StringComparer.Ordinal);
        var folders = new HashSet<string>(StringComparer.Ordinal);
        foreach (FileContent content in contents.Values)
        {
            if (TypeOf(content.Path) is { } type)
            {
                entries["/" + content.Path] = MakeEntry(content, type, contents);
            }
        }

        AddDefaultDocuments(entries, folders);
        FileEntry? fallback = options.FallbackFile is { } file ? entries.GetValueOrDefault("/" + file.TrimStart('/')) : null;
        return new FileSnapshot(entries, folders, contents, fallback) { Listing = listing };
    }

    /// <summary>A representation of a file that is left on disk, as it is found now.</summary>
    internal static FileVariant MakeDiskVariant(FileVariant known, FileContent content)
        => new(
            known.Coding,
            content.Length,
            body: null,
            content,
            content.Tag,
            known.Coding == FileCoding.Identity ? content.Modified : known.LastModified,
            known.Shared);

    private FileEntry MakeEntry(FileContent content, string type, Dictionary<string, FileContent> contents)
    {
        List<(FileCoding Coding, FileContent Content)> siblings = [];
        foreach (FileCoding coding in s_coded)
        {
            // A sibling that is older than its file was made of another version of it.
            if (contents.TryGetValue(content.Path + FileCodings.SuffixOf(coding), out FileContent? sibling)
                && sibling.Version.ModifiedNs >= content.Version.ModifiedNs
                && sibling.Length > 0
                && sibling.Length < content.Length)
            {
                siblings.Add((coding, sibling));
            }
        }

        CodedCopy? brotli = siblings.Exists(static sibling => sibling.Coding == FileCoding.Brotli) ? null : content.Copies?.Brotli;
        CodedCopy? gzip = siblings.Exists(static sibling => sibling.Coding == FileCoding.Gzip) ? null : content.Copies?.Gzip;
        var fields = new FieldSet(
            type, siblings.Count > 0 || brotli is not null || gzip is not null, CacheControlOf(content.Path), _custom);
        DateTimeOffset modified = content.Modified;
        List<FileVariant> variants = [Make(FileCoding.Identity, content, modified, fields)];
        variants.AddRange(siblings.Select(sibling => Make(sibling.Coding, sibling.Content, modified, fields)));
        variants.AddRange(Copy(FileCoding.Brotli, brotli).Concat(Copy(FileCoding.Gzip, gzip)));
        return new FileEntry([.. variants]);

        IEnumerable<FileVariant> Copy(FileCoding coding, CodedCopy? copy) => copy is null
            ? []
            : [new FileVariant(coding, copy.Body.Bytes.Length, copy.Body, null, copy.Tag, modified, fields)];
    }

    /// <summary>All representations of a file have the file's own date, so that a client may compare it whatever it was sent.</summary>
    private static FileVariant Make(FileCoding coding, FileContent content, DateTimeOffset modified, FieldSet fields)
        => new(coding, content.Length, content.Body, content.IsOnDisk ? content : null, content.Tag, modified, fields);

    private void AddDefaultDocuments(Dictionary<string, FileEntry> entries, HashSet<string> folders)
    {
        foreach (string document in options.DefaultDocuments)
        {
            string suffix = "/" + document;
            foreach ((string path, FileEntry entry) in entries.ToArray())
            {
                if (path.EndsWith(suffix, StringComparison.Ordinal))
                {
                    string folder = path[..^document.Length];
                    entries.TryAdd(folder, entry);
                    folders.Add(folder[..^1]);
                }
            }
        }
    }

    private string? CacheControlOf(string path)
    {
        try
        {
            return options.IsImmutable?.Invoke(path) == true ? Immutable : options.CacheControl;
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            skips.Option(path, nameof(options.IsImmutable), exception.Message, "The file is taken for one that changes.");
            return options.CacheControl;
        }
    }

    private string? OriginalOf(string path, FileCoding coding)
    {
        string suffix = FileCodings.SuffixOf(coding);
        return path.EndsWith(suffix, StringComparison.Ordinal) ? TypeOf(path[..^suffix.Length]) : null;
    }
}
