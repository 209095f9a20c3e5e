using System.Buffers.Text;
using System.Security.Cryptography;

namespace Ioxide.Files;

/// <summary>Reads files whole into native memory, through the ring where there is one.</summary>
internal sealed class ContentReader(Func<Reactor?> reactors, SkipLog skips)
{
    // A file that is written without a pause is left to the reload that its changes will bring.
    private const int Attempts = 5;

    private const int TagBytes = 16;

    /// <summary>Describes one file. Null where it cannot be served.</summary>
    internal FileVersion? Describe(FileRoot root, string path)
    {
        using SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus status, out int errno);
        if (handle is null)
        {
            Skip(path, errno);
            return null;
        }

        return FileVersion.Of(status);
    }

    /// <summary>Takes a file that is left on disk.</summary>
    internal static FileContent OnDisk(FileRoot root, string path, FileVersion version)
        => new(root, path, version, DateTimeOffset.UtcNow, Body: null, TagOf(version));

    /// <summary>Reads one file. Null where it is gone or cannot be read.</summary>
    /// <param name="root">The folder.</param>
    /// <param name="path">The file, below the folder.</param>
    /// <param name="lastWhole">What is returned where the file does not hold still.</param>
    /// <param name="memory">Where it is read to.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <remarks>What is returned is of one version: the file is described before and after.</remarks>
    /// <exception cref="IOException">No memory or no descriptors are left.</exception>
    internal async Task<FileContent?> ReadAsync(
        FileRoot root, string path, FileContent? lastWhole, SnapshotMemory memory, CancellationToken cancellationToken)
    {
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus before, out int errno);
            if (handle is null)
            {
                Skip(path, errno);
                return null;
            }

            FileVersion version = FileVersion.Of(before);
            using var file = new OpenFile(handle, version, reactors());
            if (version.Length > BodyChunk.MaxBytes)
            {
                return OnDisk(root, path, version);
            }

            FileBody? body = version.Length == 0 ? null : memory.Take((int)version.Length);
            bool isWhole;
            try
            {
                isWhole = await FillAsync(file, body, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                skips.Skip(path, $"it cannot be read ({exception.Message})");
                return null;
            }

            // Completions of the ring come on a reactor, which must not be kept busy with what follows.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            if (isWhole && file.IsUnchanged())
            {
                return new FileContent(root, path, version, DateTimeOffset.UtcNow, body, TagOf(body));
            }
        }

        skips.Skip(path, "it changes while it is read; the last complete version is served, if there is one");
        return lastWhole;
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
        => $"{version.Identity.Inode:x}-{version.Length:x}-{version.ModifiedNs:x}-{version.ChangedNs:x}";

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

    /// <summary>The version of a file that is left on disk, as it is now below the folder that it was found in. Null where it is gone.</summary>
    /// <exception cref="IOException">No descriptors or memory are left.</exception>
    internal FileContent? Reopen(FileContent known, out OpenFile? file)
    {
        SafeFileHandle? handle = known.Root.TryOpenFile(known.Path, out FileStatus status, out _);
        if (handle is null)
        {
            file = null;
            return null;
        }

        FileVersion version = FileVersion.Of(status);
        file = new OpenFile(handle, version, reactors());
        return OnDisk(known.Root, known.Path, version);
    }

    private void Skip(string path, int errno)
    {
        // What vanished since it was listed is no oddity.
        if (errno != Errno.ENOENT)
        {
            skips.Skip(path, errno == 0 ? "it is not a regular file" : $"it cannot be opened ({Errno.Name(errno)})");
        }
    }
}
