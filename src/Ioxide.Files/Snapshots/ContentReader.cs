using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Ioxide.Files;

/// <summary>Reads files whole into native memory, through the ring where there is one.</summary>
internal sealed class ContentReader(Func<Reactor?> reactors)
{
    // A file that is written without a pause is left to the reload that its changes will bring.
    private const int Attempts = 5;

    /// <summary>Takes a file that is left on disk.</summary>
    internal static FileContent OnDisk(FileRoot root, string path, FileVersion version)
        => new(version, DateTimeOffset.UtcNow, default, default, new DiskPlace(root, path));

    /// <summary>Reads one file. What it has by then is one version: the file is described before and after.</summary>
    /// <param name="root">The folder.</param>
    /// <param name="file">
    /// Gets its content, or what is wrong with it. One that does not hold still keeps what was read last; one that has grown out of the memory
    /// that is left stays on disk.
    /// </param>
    /// <param name="memory">Where it is read to.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="IOException">No memory or no descriptors are left.</exception>
    internal async Task ReadAsync(FileRoot root, FileDraft file, SnapshotMemory memory, CancellationToken cancellationToken)
    {
        string path = FolderPath.Join(file.Folder.Path, file.Name);
        long placedBytes = file.Version.Length;
        FileBody room = default;
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            SafeFileHandle? handle = root.TryOpenFile(path, out FileStatus before, out int errno);
            if (handle is null)
            {
                // What vanished since it was looked at is no oddity.
                file.Failure = errno == Errno.ENOENT ? null
                    : errno == 0 ? "it is not a regular file"
                    : $"it cannot be opened ({Errno.Name(errno)})";
                return;
            }

            FileVersion version = FileVersion.Of(before);
            using var open = new OpenFile(handle, version, reactors());
            if (version.Length > room.Length)
            {
                if (version.Length > BodyChunk.MaxBytes || (version.Length > placedBytes && !memory.TryUseSpare(version.Length)))
                {
                    file.Content = OnDisk(root, path, version);
                    return;
                }

                room = memory.Take((int)version.Length);
                placedBytes = 0;
            }

            FileBody body = room.First((int)version.Length);
            bool isWhole;
            try
            {
                isWhole = await FillAsync(open, body, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                file.Failure = $"it cannot be read ({exception.Message})";
                return;
            }

            // Completions of the ring come on a reactor, which must not be kept busy with what follows.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            if (isWhole && open.IsUnchanged())
            {
                file.Content = new FileContent(version, DateTimeOffset.UtcNow, body, HashOf(body), disk: null);
                return;
            }
        }

        file.Failure = "it changes while it is read; the last complete version is served, if there is one";
        file.Content = file.Known is { IsOnDisk: false } known && known.Version.Identity == file.Version.Identity ? known : null;
    }

    /// <summary>Equal files have equal hashes, wherever and whenever they were read.</summary>
    private static UInt128 HashOf(FileBody body)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body.Bytes.Span, hash);
        GC.KeepAlive(body.Chunk);
        return MemoryMarshal.Read<UInt128>(hash);
    }

    private static async ValueTask<bool> FillAsync(OpenFile file, FileBody body, CancellationToken cancellationToken)
    {
        Memory<byte> left = body.Fill();
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
    internal FileContent? Reopen(DiskPlace known, out OpenFile? file)
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
}
