using System.Buffers.Text;
using System.Runtime.InteropServices;

namespace Ioxide.Files;

/// <summary>One file as it was found: its version, and its bytes where they are kept in memory.</summary>
/// <param name="version">As the kernel described it before and after it was read.</param>
/// <param name="foundAt">When it was last described.</param>
/// <param name="body">Empty for a file that is left on disk, or is empty.</param>
/// <param name="hash">Of the bytes in memory.</param>
/// <param name="disk">Where it is opened, if it is left on disk.</param>
/// <remarks>Immutable, and shared by the snapshots between which the file did not change.</remarks>
internal sealed class FileContent(FileVersion version, DateTimeOffset foundAt, FileBody body, UInt128 hash, DiskPlace? disk)
{
    private readonly long _foundAtTicks = foundAt.UtcTicks;

    internal FileVersion Version => version;

    /// <summary>When the file was modified. A date in the future is replaced by the time when the file was found.</summary>
    internal DateTimeOffset Modified => version.ModifiedBy(FoundAt);

    /// <summary>Whether any later change will show in the version.</summary>
    internal bool IsSettled => version.IsSettledAt(FoundAt);

    internal long Length => version.Length;

    internal FileBody Body => body;

    internal DiskPlace? Disk => disk;

    internal bool IsOnDisk => disk is not null;

    /// <summary>
    /// The entity tag without quotes. In memory it is of the content itself: equal files have equal tags, wherever and whenever they were
    /// read. On disk it is of what the kernel knows, because the file is too large to be read for one.
    /// </summary>
    internal string Tag
    {
        get
        {
            UInt128 value = hash;
            return disk is null
                ? Base64Url.EncodeToString(MemoryMarshal.AsBytes(new ReadOnlySpan<UInt128>(ref value)))
                : $"{version.Identity.Inode:x}-{version.Length:x}-{version.ModifiedNs:x}-{version.ChangedNs:x}";
        }
    }

    private DateTimeOffset FoundAt => new(_foundAtTicks, TimeSpan.Zero);

    /// <summary>The same file with its bytes in other memory.</summary>
    internal FileContent CopyTo(SnapshotMemory memory) => new(version, FoundAt, memory.Copy(body.Bytes.Span), hash, disk);
}

/// <summary>Where a file on disk is opened: below the folder as it was reached when the file was found, whatever took its place.</summary>
/// <param name="Root">The folder.</param>
/// <param name="Path">From the root, without a slash in front.</param>
internal sealed record DiskPlace(FileRoot Root, string Path);
