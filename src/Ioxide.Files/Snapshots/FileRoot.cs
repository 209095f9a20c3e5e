namespace Ioxide.Files;

/// <summary>The folder that files are served from. Every open is kept below it: by the kernel itself, else by <see cref="PathWalk"/>.</summary>
/// <remarks>
/// Source: openat2(2) with RESOLVE_BENEATH, which refuses <c>..</c> beyond the root and links out of it, also where a folder is
/// exchanged for a link while the path is walked. Threads: any. Once files of a snapshot are opened below it, it is closed by the
/// collector, because requests that began with that snapshot may still open some.
/// </remarks>
internal sealed class FileRoot(string path, SafeFileHandle folder, FileIdentity identity, SymbolicLinks links, int refusal) : IDisposable
{
    private readonly SafeFileHandle _folder = folder;
    private readonly SymbolicLinks _links = links;

    /// <summary>The full path.</summary>
    internal string Path { get; } = path;

    /// <summary>Which folder the path led to when it was opened.</summary>
    internal FileIdentity Identity { get; } = identity;

    /// <summary>The error number of openat2(2) where the host refuses it, and paths are walked instead; else 0.</summary>
    internal int Refusal { get; } = refusal;

    internal bool FollowsLinks => _links != SymbolicLinks.Refuse;

    /// <exception cref="DirectoryNotFoundException">It is not there, or is no folder.</exception>
    internal static FileRoot Open(string path, SymbolicLinks links)
    {
        string full = System.IO.Path.GetFullPath(path);
        int refusal = FindRefusal();
        int descriptor = Open(FileConstants.CurrentDirectory, full, FileConstants.OpenPath, resolve: 0, refusal != 0);
        if (descriptor < 0)
        {
            throw new DirectoryNotFoundException($"The folder {full} cannot be opened: {Errno.Name(-descriptor)}.");
        }

        var folder = new SafeFileHandle(descriptor, ownsHandle: true);
        if (!TryDescribe(folder, out FileStatus status) || !status.IsDirectory)
        {
            folder.Dispose();
            throw new DirectoryNotFoundException($"{full} is not a folder.");
        }

        return new FileRoot(full, folder, FileIdentity.Of(status), links, refusal);
    }

    /// <summary>Opens a regular file for reading.</summary>
    /// <param name="relativePath">From the root, without a slash in front.</param>
    /// <param name="status">What the kernel says of it.</param>
    /// <param name="errno">Why there is none; 0 where it is no regular file.</param>
    /// <returns>Null where it cannot be opened or is no regular file; a FIFO or a device is not waited for.</returns>
    /// <exception cref="IOException">There is no descriptor or memory left, which says nothing about the file.</exception>
    internal SafeFileHandle? TryOpenFile(string relativePath, out FileStatus status, out int errno)
        => TryOpenToRead(relativePath, isFolder: false, out status, out errno);

    /// <summary>Opens a folder, so that its names can be read.</summary>
    /// <param name="relativePath">From the root, which is the empty path itself.</param>
    /// <param name="status">What the kernel says of it.</param>
    /// <param name="errno">Why there is none; 0 where it is no folder.</param>
    /// <exception cref="IOException">There is no descriptor or memory left.</exception>
    internal SafeFileHandle? TryOpenFolder(string relativePath, out FileStatus status, out int errno)
        => TryOpenToRead(relativePath.Length == 0 ? "." : relativePath, isFolder: true, out status, out errno);

    /// <summary>Describes what a path below the root leads to, and opens nothing that it could wake.</summary>
    /// <param name="relativePath">From the root, which is the empty path itself.</param>
    /// <param name="status">What the kernel says of it.</param>
    /// <returns>0, or the error's number.</returns>
    /// <exception cref="IOException">There is no descriptor or memory left.</exception>
    internal int Find(string relativePath, out FileStatus status)
    {
        using SafeFileHandle? handle = TryOpen(relativePath.Length == 0 ? "." : relativePath, FileConstants.OpenPath, out int errno);
        status = default;
        return handle is null ? errno : TryDescribe(handle, out status) ? 0 : Errno.EIO;
    }

    public void Dispose() => _folder.Dispose();

    internal static unsafe bool TryDescribe(SafeFileHandle handle, out FileStatus status)
    {
        FileStatus found;
        int result = Sys.Status((int)handle.DangerousGetHandle(), &found);
        GC.KeepAlive(handle);
        status = found;
        return result >= 0;
    }

    private SafeFileHandle? TryOpenToRead(string relativePath, bool isFolder, out FileStatus status, out int errno)
    {
        SafeFileHandle? handle = TryOpen(relativePath, FileConstants.OpenReadOnly | FileConstants.OpenNonBlocking, out errno);
        status = default;
        if (handle is not null && !TryDescribe(handle, out status))
        {
            errno = Errno.EIO;
        }

        if (isFolder ? status.IsDirectory : status.IsRegular)
        {
            return handle;
        }

        handle?.Dispose();
        return null;
    }

    private SafeFileHandle? TryOpen(string relativePath, ulong flags, out int errno)
    {
        bool isReferenced = false;
        _folder.DangerousAddRef(ref isReferenced);
        int descriptor;
        try
        {
            int folder = (int)_folder.DangerousGetHandle();
            descriptor = Refusal != 0 && _links != SymbolicLinks.FollowAnywhere
                ? PathWalk.Open(folder, relativePath, flags, FollowsLinks)
                : Open(folder, relativePath, flags, ResolveFlags(_links), Refusal != 0);
        }
        finally
        {
            _folder.DangerousRelease();
        }

        errno = descriptor < 0 ? -descriptor : 0;
        return descriptor >= 0 ? new SafeFileHandle(descriptor, ownsHandle: true)
            : errno is Errno.EMFILE or Errno.ENFILE or Errno.ENOMEM or Errno.EAGAIN
                ? throw Errno.ToIOException(errno, $"open {Path}/{relativePath}")
                : null;
    }

    internal static ulong ResolveFlags(SymbolicLinks links) => links switch
    {
        SymbolicLinks.FollowAnywhere => 0,
        SymbolicLinks.FollowInside => FileConstants.ResolveBeneath | FileConstants.ResolveNoMagicLinks,
        _ => FileConstants.ResolveBeneath | FileConstants.ResolveNoMagicLinks | FileConstants.ResolveNoSymbolicLinks,
    };

    /// <summary>Asks for what every kernel has, so that an error is the host's. Want of descriptors or memory says nothing.</summary>
    private static int FindRefusal()
    {
        int descriptor = Open(FileConstants.CurrentDirectory, "/", FileConstants.OpenPath, resolve: 0, isPlain: false);
        if (descriptor >= 0)
        {
            _ = Kernel.Linux.Close(descriptor);
        }

        return descriptor >= 0 || descriptor is -Errno.EMFILE or -Errno.ENFILE or -Errno.ENOMEM ? 0 : -descriptor;
    }

    private static unsafe int Open(int folder, string path, ulong flags, ulong resolve, bool isPlain)
    {
        byte[] name = Encoding.UTF8.GetBytes(path + '\0');
        var how = new OpenHow { Flags = flags | FileConstants.OpenCloseOnExec, Resolve = resolve };
        fixed (byte* pointer = name)
        {
            return isPlain ? Sys.OpenAt(folder, pointer, how.Flags) : Sys.Open(folder, pointer, &how);
        }
    }
}
