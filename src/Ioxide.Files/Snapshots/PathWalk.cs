namespace Ioxide.Files;

/// <summary>Opens a path below a folder name by name, where the host refuses openat2(2), and follows what that would follow.</summary>
/// <remarks>
/// <para>Each name is opened below the descriptor of the folder before it, and no name is followed by the kernel: so a folder that is
/// exchanged for a link meanwhile leads nowhere. <c>..</c> goes back to the descriptor that the walk came from, never above the root.
/// Links are read and walked in the same way; one that begins at the file system's root is refused, as RESOLVE_BENEATH refuses it.</para>
/// <para>Names are bytes here, a character each (Latin-1), because what links lead to need not be UTF-8.</para>
/// Source: path_resolution(7), O_PATH and O_NOFOLLOW in open(2). Threads: any.
/// </remarks>
internal static unsafe class PathWalk
{
    // As many as the kernel follows.
    private const int MaxLinks = 40;
    private const int MaxTargetBytes = 4096;

    /// <param name="root">The folder's descriptor.</param>
    /// <param name="relativePath">From the root.</param>
    /// <param name="flags">How the last name is opened.</param>
    /// <param name="followsLinks">Whether links that lead to a place below the root are followed.</param>
    /// <returns>A descriptor, or <c>-errno</c> as openat2(2) has it.</returns>
    internal static int Open(int root, string relativePath, ulong flags, bool followsLinks)
    {
        var folders = new Stack<int>();
        var names = new Stack<string>();
        Push(names, Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(relativePath)));
        try
        {
            return Walk(root, folders, names, flags, followsLinks);
        }
        finally
        {
            foreach (int folder in folders)
            {
                _ = Kernel.Linux.Close(folder);
            }
        }
    }

    private static int Walk(int root, Stack<int> folders, Stack<string> names, ulong flags, bool followsLinks)
    {
        int links = 0;
        while (names.TryPop(out string? name))
        {
            int here = folders.TryPeek(out int folder) ? folder : root;
            if (name is ".")
            {
                // What is walked so far is a folder, or the walk had ended.
                continue;
            }

            if (name is "..")
            {
                if (folders.Count == 0)
                {
                    return -Errno.EXDEV;
                }

                _ = Kernel.Linux.Close(folders.Pop());
                continue;
            }

            int found = Open(here, name, FileConstants.OpenPath | FileConstants.OpenNoFollow);
            if (found < 0)
            {
                return found;
            }

            FileStatus status;
            int described = Sys.Status(found, &status);
            if (described >= 0 && status.IsDirectory)
            {
                folders.Push(found);
                continue;
            }

            if (described >= 0 && status.IsLink)
            {
                int read = followsLinks && ++links <= MaxLinks ? PushTarget(names, found) : -Errno.ELOOP;
                _ = Kernel.Linux.Close(found);
                if (read < 0)
                {
                    return read;
                }

                continue;
            }

            _ = Kernel.Linux.Close(found);
            return described < 0 ? described
                : names.Count > 0 ? -Errno.ENOTDIR
                : Open(here, name, flags | FileConstants.OpenNoFollow);
        }

        // It led to a folder.
        return Open(folders.TryPeek(out int last) ? last : root, ".", flags);
    }

    private static int PushTarget(Stack<string> names, int link)
    {
        byte* target = stackalloc byte[MaxTargetBytes];
        int length = Sys.ReadLink(link, target, MaxTargetBytes);
        if (length <= 0)
        {
            return length < 0 ? length : -Errno.ENOENT;
        }

        if (target[0] == '/')
        {
            return -Errno.EXDEV;
        }

        Push(names, Encoding.Latin1.GetString(target, length));
        return 0;
    }

    private static void Push(Stack<string> names, string path)
    {
        string[] parts = path.Split('/');
        if (parts[^1].Length == 0)
        {
            // A slash at the end asks for a folder.
            names.Push(".");
        }

        for (int index = parts.Length - 1; index >= 0; index--)
        {
            if (parts[index].Length > 0)
            {
                names.Push(parts[index]);
            }
        }
    }

    private static int Open(int folder, string name, ulong flags)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(name + '\0');
        fixed (byte* pointer = bytes)
        {
            return Sys.OpenAt(folder, pointer, flags | FileConstants.OpenCloseOnExec);
        }
    }
}
