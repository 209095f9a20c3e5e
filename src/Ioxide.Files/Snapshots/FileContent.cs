namespace Ioxide.Files;

/// <summary>One file of the folder as it was found: its version, and its bytes where they are kept in memory.</summary>
/// <param name="Root">The folder as it was reached when the file was found. A file on disk is opened below it, whatever took its place.</param>
/// <param name="Path">From the root, without a slash in front.</param>
/// <param name="Version">As the kernel described it before and after it was read.</param>
/// <param name="FoundAt">When it was last described.</param>
/// <param name="Body">Null for a file that is left on disk, or is empty.</param>
/// <param name="Tag">The entity tag, without quotes.</param>
/// <remarks>Immutable, and shared by the snapshots between which the file did not change.</remarks>
internal sealed record FileContent(FileRoot Root, string Path, FileVersion Version, DateTimeOffset FoundAt, FileBody? Body, string Tag)
{
    /// <summary>When the file was modified. A date in the future is replaced by the time when the file was found.</summary>
    internal DateTimeOffset Modified => Version.ModifiedBy(FoundAt);

    /// <summary>Whether any later change will show in the version.</summary>
    internal bool IsSettled => Version.IsSettledAt(FoundAt);

    internal long Length => Version.Length;

    internal bool IsOnDisk => Body is null && Length > 0;

    /// <summary>The coded copies that the options asked for. They are made once for each content.</summary>
    internal CodedCopies? Copies { get; set; }

    /// <summary>Everything of it that lies in memory.</summary>
    internal IEnumerable<FileBody> Bodies => new[] { Body, Copies?.Brotli?.Body, Copies?.Gzip?.Body }.OfType<FileBody>();

    /// <summary>The same file in memory as it was found below another root, so that the first root can be closed.</summary>
    internal FileContent Under(FileRoot root) => Root == root ? this : this with { Root = root };

    /// <summary>The same file with its bytes in other memory.</summary>
    internal FileContent CopyTo(SnapshotMemory memory)
    {
        return this with
        {
            Body = Copy(Body),
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
