using System.Buffers.Text;
using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files;

/// <summary>Reads files whole into native memory, through the ring where there is one.</summary>
internal sealed class ContentReader(FileRoot root, Func<Reactor?> reactors, ILogger logger)
{
    // A file that is written without a pause is left to the reload that its changes will bring.
    private const int Attempts = 5;

    private const int TagBytes = 16;

    /// <summary>Describes one file. Null, and a line in the log, where it cannot be served.</summary>
    internal FileVersion? Describe(string path)
    {
        using SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus status, out string? refusal);
        if (handle is null)
        {
            FilesLog.Skipped(logger, path, refusal ?? "");
            return null;
        }

        return FileVersion.Of(status);
    }

    /// <summary>Takes a file that is left on disk.</summary>
    internal static FileContent OnDisk(string path, FileVersion version, DateTimeOffset now)
        => new(path, version, version.IsSettledAt(now), body: null, TagOf(version));

    /// <summary>Reads one file. Null where it is gone, or does not hold still.</summary>
    /// <remarks>What is returned is of one version: the file is described before and after.</remarks>
    internal async Task<FileContent?> ReadAsync(string path, SnapshotMemory memory, CancellationToken cancellationToken)
    {
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus before, out string? refusal);
            if (handle is null)
            {
                FilesLog.Skipped(logger, path, refusal ?? "");
                return null;
            }

            FileVersion version = FileVersion.Of(before);
            using var file = new OpenFile(handle, version, reactors());
            if (version.Length > BodyChunk.MaxBytes)
            {
                return OnDisk(path, version, DateTimeOffset.UtcNow);
            }

            FileBody? body = version.Length == 0 ? null : memory.Take((int)version.Length);
            bool isWhole = await FillAsync(file, body, cancellationToken).ConfigureAwait(false);

            // Completions of the ring come on a reactor, which must not be kept busy with what follows.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            if (isWhole && file.IsUnchanged())
            {
                return new FileContent(path, version, version.IsSettledAt(DateTimeOffset.UtcNow), body, TagOf(body));
            }
        }

        FilesLog.Skipped(logger, path, "it changes while it is read");
        return null;
    }

    /// <summary>A tag of the content itself: equal files have equal tags, wherever and whenever they were read.</summary>
    internal static string TagOf(FileBody? body)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body is null ? default : body.Bytes.Span, hash);
        GC.KeepAlive(body);
        return Base64Url.EncodeToString(hash[..TagBytes]);
    }

    /// <summary>A tag of what the kernel knows of a file, for files that are too large to be read for one.</summary>
    private static string TagOf(FileVersion version)
        => $"{version.Inode:x}-{version.Length:x}-{version.ModifiedNs:x}-{version.ChangedNs:x}";

    private static async ValueTask<bool> FillAsync(OpenFile file, FileBody? body, CancellationToken cancellationToken)
    {
        Memory<byte> left = body is null ? default : body.Fill();
        for (long offset = 0; !left.IsEmpty;)
        {
            int count = await file.ReadAsync(left, offset, cancellationToken).ConfigureAwait(false);
            if (count == 0)
            {
                return false;
            }

            offset += count;
            left = left[count..];
        }

        return true;
    }

    /// <summary>The version of a file that is left on disk, as it is now.</summary>
    internal FileContent? Reopen(string path, out OpenFile? file)
    {
        SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus status, out _);
        if (handle is null)
        {
            file = null;
            return null;
        }

        FileVersion version = FileVersion.Of(status);
        file = new OpenFile(handle, version, reactors());
        return OnDisk(path, version, DateTimeOffset.UtcNow);
    }
}
