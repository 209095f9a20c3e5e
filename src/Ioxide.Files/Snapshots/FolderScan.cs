using System.IO.Enumeration;

namespace Ioxide.Files;

/// <summary>Lists what lies below a root: files that may be served, and folders to watch. It opens nothing.</summary>
internal sealed class FolderScan
{
    // Links may lead in circles; nobody means a path as deep as this.
    private const int MaxDepth = 128;

    private const string WellKnown = ".well-known";

    private readonly FileRoot _root;
    private readonly bool _servesDotFiles;
    private readonly HashSet<(ulong Device, ulong Inode)> _seen = [];
    private readonly Stack<(string Path, int Depth)> _open = new();

    private FolderScan(FileRoot root, bool servesDotFiles)
    {
        _root = root;
        _servesDotFiles = servesDotFiles;
    }

    /// <summary>Paths of files from the root, without a slash in front.</summary>
    internal List<string> Files { get; } = [];

    /// <summary>Paths of folders likewise; the root itself is the empty one.</summary>
    internal List<string> Folders { get; } = [];

    /// <param name="root">The folder.</param>
    /// <param name="servesDotFiles">Whether names that begin with a dot count.</param>
    /// <param name="enter">Called with each folder before it is listed.</param>
    /// <exception cref="IOException">A folder cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder must not be listed.</exception>
    internal static FolderScan Run(FileRoot root, bool servesDotFiles, Action<string> enter)
    {
        var scan = new FolderScan(root, servesDotFiles);
        scan._open.Push(("", 0));
        while (scan._open.TryPop(out (string Path, int Depth) folder))
        {
            // A folder that vanished meanwhile, or that a link leads to a second time, has nothing to list.
            if (root.TryFindFolder(folder.Path) is { } identity && scan._seen.Add(identity))
            {
                enter(folder.Path);
                scan.Folders.Add(folder.Path);
                scan.List(folder.Path, folder.Depth);
            }
        }

        return scan;
    }

    private void List(string folder, int depth)
    {
        var items = new FileSystemEnumerable<(string Name, bool IsFolder, bool IsLink)>(
            Path.Join(_root.Path, folder),
            static (ref FileSystemEntry entry)
                => (entry.FileName.ToString(), entry.IsDirectory, entry.Attributes.HasFlag(FileAttributes.ReparsePoint)),
            new EnumerationOptions { AttributesToSkip = 0, IgnoreInaccessible = false, ReturnSpecialDirectories = false });
        foreach ((string name, bool isFolder, bool isLink) in items)
        {
            if ((name[0] == '.' && !_servesDotFiles && name != WellKnown) || (isLink && !_root.FollowsLinks))
            {
                continue;
            }

            string path = folder.Length == 0 ? name : $"{folder}/{name}";
            if (!isFolder)
            {
                Files.Add(path);
            }
            else if (depth < MaxDepth)
            {
                _open.Push((path, depth + 1));
            }
        }
    }
}
