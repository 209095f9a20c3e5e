namespace Ioxide.Files;

/// <summary>One file of the folder as it was found: its version, and its bytes where they are kept in memory.</summary>
/// <remarks>Immutable, and shared by the snapshots between which the file did not change.</remarks>
internal sealed class FileContent
{
    /// <param name="path">From the root, without a slash in front.</param>
    /// <param name="version">As the kernel described it before and after it was read.</param>
    /// <param name="isSettled">Whether the version tells it from every later one.</param>
    /// <param name="body">Null for a file that is left on disk, or is empty.</param>
    /// <param name="tag">The entity tag, without quotes.</param>
    internal FileContent(string path, FileVersion version, bool isSettled, FileBody? body, string tag)
    {
        Path = path;
        Version = version;
        IsSettled = isSettled;
        Body = body;
        Tag = tag;
    }

    internal string Path { get; }

    internal FileVersion Version { get; }

    internal bool IsSettled { get; }

    internal FileBody? Body { get; }

    internal string Tag { get; }

    internal long Length => Version.Length;

    internal bool IsOnDisk => Body is null && Length > 0;

    /// <summary>What coded copies the options asked for: made once a content.</summary>
    internal CodedCopies? Copies { get; set; }

    /// <summary>Everything of it that lies in memory.</summary>
    internal IEnumerable<FileBody> Bodies
        => new[] { Body, Copies?.Brotli?.Body, Copies?.Gzip?.Body }.OfType<FileBody>();

    /// <summary>The same file with its bytes in other memory.</summary>
    internal FileContent CopyTo(SnapshotMemory memory)
    {
        return new FileContent(Path, Version, IsSettled, Copy(Body), Tag)
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
