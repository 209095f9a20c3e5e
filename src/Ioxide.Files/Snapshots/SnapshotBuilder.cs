namespace Ioxide.Files;

/// <summary>Makes representations and header fields of the files that were found.</summary>
/// <remarks>
/// It asks what the application gave: a content type provider and a delegate. One that throws costs the file that it was asked
/// about, and nothing else. Threads: one at a time.
/// </remarks>
internal sealed class SnapshotBuilder(IoxideFilesOptions options)
{
    private const string Immutable = "max-age=31536000, immutable";

    // A provider of the application's may have as many types as files.
    private const int MaxShared = 1000;

    private static readonly FileCoding[] s_coded = [FileCoding.Brotli, FileCoding.Zstandard, FileCoding.Gzip];

    private readonly KeyValuePair<string, StringValues>[] _custom = [.. options.Headers];
    private readonly Dictionary<(string Type, FileCoding Coding, bool IsNegotiated, string? CacheControl), SharedFields> _shared = [];

    /// <summary>Whether a name matters: it has a type, or is the coded sibling of a file that has one.</summary>
    internal bool IsServed(FolderDraft folder, string name)
        => TypeOf(folder, name) is not null || OriginalsOf(name).Any(original => TypeOf(folder, original) is not null);

    /// <summary>The files of which a name may be the coded sibling.</summary>
    internal static IEnumerable<string> OriginalsOf(string name)
        => s_coded.Select(FileCodings.SuffixOf).Where(suffix => name.EndsWith(suffix, StringComparison.Ordinal))
            .Select(suffix => name[..^suffix.Length]);

    /// <summary>Makes what a name answers with.</summary>
    internal FileEntry MakeEntry(FolderDraft folder, string name, FileContent content)
    {
        if (TypeOf(folder, name) is not { } type)
        {
            return new FileEntry(name, content, null, []);
        }

        List<(FileCoding Coding, FileContent Content)> siblings = [];
        foreach (FileCoding coding in s_coded)
        {
            // A sibling that is older than its file was made of another version of it.
            if (folder.ContentOf(name + FileCodings.SuffixOf(coding)) is { } sibling
                && sibling.Version.ModifiedNs >= content.Version.ModifiedNs
                && sibling.Length > 0
                && sibling.Length < content.Length)
            {
                siblings.Add((coding, sibling));
            }
        }

        // All representations of a file have the file's own date, so that a client may compare it whatever it was sent.
        string? cacheControl = CacheControlOf(folder, name);
        DateTimeOffset modified = content.Modified;
        FileVariant[] coded = [.. siblings.Select(sibling => Make(sibling.Coding, sibling.Content))];
        return new FileEntry(name, content, Make(FileCoding.Identity, content), coded);

        FileVariant Make(FileCoding coding, FileContent body) => new(body, modified, SharedOf(type, coding, siblings.Count > 0, cacheControl));
    }

    /// <summary>A representation of a file that is left on disk, as it is found now.</summary>
    internal static FileVariant MakeDiskVariant(FileVariant known, FileContent content)
        => new(content, known.Coding == FileCoding.Identity ? content.Modified : known.LastModified, known.Shared);

    private SharedFields SharedOf(string type, FileCoding coding, bool isNegotiated, string? cacheControl)
    {
        if (!_shared.TryGetValue((type, coding, isNegotiated, cacheControl), out SharedFields? shared))
        {
            if (_shared.Count == MaxShared)
            {
                _shared.Clear();
            }

            shared = new SharedFields(type, coding, isNegotiated, cacheControl, _custom);
            _shared.Add((type, coding, isNegotiated, cacheControl), shared);
        }

        return shared;
    }

    /// <summary>The content type of a file, or null: it is not served.</summary>
    /// <remarks>A file whose type cannot be had or sent is not served: another type might let a browser run it.</remarks>
    private string? TypeOf(FolderDraft folder, string name)
    {
        string error;
        try
        {
            string? type = options.ContentTypes.TryGetContentType(FolderPath.Join(folder.Path, name), out string? found)
                ? found
                : options.DefaultContentType;
            if (type is null || IoxideFilesOptions.IsFieldValue(type))
            {
                return type;
            }

            error = $"'{type}' cannot be sent in a header";
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            error = exception.Message;
        }

        folder.FailOption(name, nameof(options.ContentTypes), error, "The file is not served.");
        return null;
    }

    [ApplicationSide]
    private string? CacheControlOf(FolderDraft folder, string name)
    {
        try
        {
            return options.IsImmutable?.Invoke(FolderPath.Join(folder.Path, name)) == true ? Immutable : options.CacheControl;
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            folder.FailOption(name, nameof(options.IsImmutable), exception.Message, "The file is taken for one that changes.");
            return options.CacheControl;
        }
    }
}
