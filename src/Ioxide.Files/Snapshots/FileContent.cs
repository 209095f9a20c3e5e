namespace Ioxide.Files;

/// <summary>One file of the folder as it was found: its version, and its bytes where they are kept in memory.</summary>
/// <remarks>Immutable, and shared by the snapshots between which the file did not change.</remarks>
internal sealed class FileContent
{
    /// <param name="root">What the path begins at.</param>
    /// <param name="path">From the root, without a slash in front.</param>
    /// <param name="version">As the kernel described it before and after it was read.</param>
    /// <param name="foundAt">When it was described for the last time.</param>
    /// <param name="body">Null for a file that is left on disk, or is empty.</param>
    /// <param name="tag">The entity tag, without quotes.</param>
    internal FileContent(FileRoot root, string path, FileVersion version, DateTimeOffset foundAt, FileBody? body, string tag)
    {
        Root = root;
        Path = path;
        Version = version;
        FoundAt = foundAt;
        Body = body;
        Tag = tag;
    }

    /// <summary>The folder as it was reached when the file was found: a file on disk is opened below it, whatever took its place.</summary>
    internal FileRoot Root { get; }

    internal string Path { get; }

    internal FileVersion Version { get; }

    internal DateTimeOffset FoundAt { get; }

    /// <summary>When it was modified; a date that was still to come is that of its finding.</summary>
    internal DateTimeOffset Modified => Version.ModifiedBy(FoundAt);

    /// <summary>Whether the version tells it from every later one.</summary>
    internal bool IsSettled => Version.IsSettledAt(FoundAt);

    internal FileBody? Body { get; }

    internal string Tag { get; }

    internal long Length => Version.Length;

    internal bool IsOnDisk => Body is null && Length > 0;

    /// <summary>What coded copies the options asked for: made once a content.</summary>
    internal CodedCopies? Copies { get; set; }

    /// <summary>Everything of it that lies in memory.</summary>
    internal IEnumerable<FileBody> Bodies
        => new[] { Body, Copies?.Brotli?.Body, Copies?.Gzip?.Body }.OfType<FileBody>();

    /// <summary>The same file in memory as it was found below another root, so that the first can be closed.</summary>
    internal FileContent Under(FileRoot root)
        => Root == root ? this : new FileContent(root, Path, Version, FoundAt, Body, Tag) { Copies = Copies };

    /// <summary>The same file with its bytes in other memory.</summary>
    internal FileContent CopyTo(SnapshotMemory memory)
    {
        return new FileContent(Root, Path, Version, FoundAt, Copy(Body), Tag)
        {
            Copies = Copies is null ? null : new CodedCopies(CopyCoded(Copies.Brotli), CopyCoded(Copies.Gzip)),
        };

        FileBody? Copy(FileBody? body) => body is null ? null : memory.Copy(body.Bytes.Span);
        CodedCopy? CopyCoded(CodedCopy? copy) => copy is null ? null : new CodedCopy(Copy(copy.Body)!, copy.Tag);
    }
}

/// <summary>Copies of a file that were coded at start; null where a copy would not be smaller.</summary>
internal sealed record CodedCopies(CodedCopy? Brotli, CodedCopy? Gzip);

/// <summary>One coded copy.</summary>
internal sealed record CodedCopy(FileBody Body, string Tag);
