using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files;

/// <summary>The folder that files are served from. Every open is kept below it: by the kernel itself, else by <see cref="PathWalk"/>.</summary>
/// <remarks>
/// Source: openat2(2) with RESOLVE_BENEATH, which refuses <c>..</c> beyond the root and links out of it, also where a folder is
/// exchanged for a link while the path is walked. Threads: any.
/// </remarks>
internal sealed class FileRoot : IDisposable
{
    private readonly SafeFileHandle _folder;
    private readonly SymbolicLinks _links;

    private FileRoot(string path, SafeFileHandle folder, SymbolicLinks links, int refusal)
    {
        Path = path;
        Refusal = refusal;
        _folder = folder;
        _links = links;
    }

    /// <summary>The full path.</summary>
    internal string Path { get; }

    /// <summary>The error number of openat2(2) where the host refuses it, and paths are walked instead; else 0.</summary>
    internal int Refusal { get; }

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
            throw new DirectoryNotFoundException($"{full} is no folder.");
        }

        return new FileRoot(full, folder, links, refusal);
    }

    /// <summary>Opens a regular file for reading.</summary>
    /// <param name="relativePath">From the root, without a slash in front.</param>
    /// <param name="status">What the kernel says of it.</param>
    /// <param name="refusal">Why there is none: the error's name, or what it is instead of a regular file.</param>
    /// <returns>Null where it cannot be opened or is no regular file; a FIFO or a device is not waited for.</returns>
    internal SafeFileHandle? TryOpenFile(string relativePath, out FileStatus status, out string? refusal)
    {
        SafeFileHandle? handle = TryOpen(relativePath, FileConstants.OpenReadOnly | FileConstants.OpenNonBlocking, out refusal);
        status = default;
        if (handle is null)
        {
            return null;
        }

        if (TryDescribe(handle, out status) && status.IsRegular)
        {
            return handle;
        }

        handle.Dispose();
        refusal = "not a regular file";
        return null;
    }

    /// <summary>Which folder a path below the root leads to; null where it leads to none, or out of the root.</summary>
    internal (ulong Device, ulong Inode)? TryFindFolder(string relativePath)
    {
        if (relativePath.Length == 0)
        {
            return TryDescribe(_folder, out FileStatus root) ? IdentityOf(root) : null;
        }

        using SafeFileHandle? handle = TryOpen(relativePath, FileConstants.OpenPath, out _);
        return handle is not null && TryDescribe(handle, out FileStatus status) && status.IsDirectory ? IdentityOf(status) : null;
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

    private SafeFileHandle? TryOpen(string relativePath, ulong flags, out string? refusal)
    {
        int folder = (int)_folder.DangerousGetHandle();
        int descriptor = Refusal != 0 && _links != SymbolicLinks.FollowAnywhere
            ? PathWalk.Open(folder, relativePath, flags, FollowsLinks)
            : Open(folder, relativePath, flags, ResolveFlags(_links), Refusal != 0);
        GC.KeepAlive(_folder);
        refusal = descriptor < 0 ? Errno.Name(-descriptor) : null;
        return descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
    }

    private static (ulong Device, ulong Inode) IdentityOf(in FileStatus status)
        => (((ulong)status.DeviceMajor << 32) | status.DeviceMinor, status.Inode);

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
            _ = Sys.Close(descriptor);
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
