namespace Ioxide.Files;

/// <summary>Whether the folders and links of a scan are still what they were.</summary>
internal enum FolderChange
{
    None,

    /// <summary>Names came or went; folders and links lead where they led.</summary>
    Names,

    /// <summary>A folder or a link leads elsewhere: what was read below it may be of two releases.</summary>
    Places,
}

/// <summary>Lists what lies below a root: files that may be served, and the folders and links that lead to them.</summary>
/// <remarks>
/// What cannot be listed is left out and logged. A folder to which links lead is listed under each of its paths, except below
/// itself.
/// </remarks>
internal sealed class FolderScan(FileRoot root, bool servesDotFiles, Action<string, ItemKind, string> skip)
{
    // Links may lead in circles. No real path is as deep as this.
    private const int MaxDepth = 128;

    // Two links in each of twenty folders lead to the innermost on a million paths.
    private const int MaxLinkedFolders = 10_000;

    private const string WellKnown = ".well-known";

    private readonly FileRoot _root = root;
    private readonly bool _servesDotFiles = servesDotFiles;
    private readonly Action<string, ItemKind, string> _skip = skip;
    private readonly Stack<Folder> _open = new();
    private readonly List<(string Path, FileIdentity Identity, Int128 ChangedNs)> _folders = [];
    private readonly List<(string Path, FileIdentity Identity)> _links = [];
    private readonly List<(string Name, ItemKind Kind)> _items = [];
    private int _linkedCount;

    /// <summary>Paths of regular files from the root, without a slash in front.</summary>
    internal HashSet<string> Files { get; } = new(StringComparer.Ordinal);

    /// <param name="root">The folder.</param>
    /// <param name="servesDotFiles">Whether names that begin with a dot count.</param>
    /// <param name="enter">Called with each folder, open, before it is listed.</param>
    /// <param name="skip">Called with the path of what is left out, what it is and why.</param>
    /// <param name="cancellationToken">Ends the scan.</param>
    /// <exception cref="IOException">The root cannot be listed, or no descriptors or memory are left.</exception>
    internal static FolderScan Run(
        FileRoot root, bool servesDotFiles, Action<SafeFileHandle> enter, Action<string, ItemKind, string> skip, CancellationToken cancellationToken)
    {
        var scan = new FolderScan(root, servesDotFiles, skip);
        scan._open.Push(new Folder("", 0, null, isLinked: false));
        while (scan._open.TryPop(out Folder? folder))
        {
            cancellationToken.ThrowIfCancellationRequested();
            scan.List(folder, enter);
        }

        return scan;
    }

    /// <summary>Compares the folders and links with what they are now.</summary>
    internal FolderChange Compare()
    {
        FolderChange change = FolderChange.None;
        foreach ((string path, FileIdentity identity, Int128 changedNs) in _folders)
        {
            if (_root.Find(path, out FileStatus status) != 0 || FileIdentity.Of(status) != identity)
            {
                return FolderChange.Places;
            }

            change = FileVersion.ToNanoseconds(status.Changed) == changedNs ? change : FolderChange.Names;
        }

        return _links.Exists(link => _root.Find(link.Path, out FileStatus status) != 0 || FileIdentity.Of(status) != link.Identity)
            ? FolderChange.Places
            : change;
    }

    private void List(Folder folder, Action<SafeFileHandle> enter)
    {
        using SafeFileHandle? handle = _root.TryOpenFolder(folder.Path, out FileStatus status, out int errno);
        if (handle is not null)
        {
            folder.Identity = FileIdentity.Of(status);
            if (folder.IsLinked && folder.LiesInItself())
            {
                return;
            }

            enter(handle);
            _folders.Add((folder.Path, folder.Identity, FileVersion.ToNanoseconds(status.Changed)));
            _items.Clear();
            errno = FolderNames.Read(handle, _items);
            if (errno == 0)
            {
                Take(folder);
                return;
            }
        }

        if (folder.Parent is null)
        {
            throw errno is Errno.EACCES or Errno.EPERM
                ? new UnauthorizedAccessException(
                    $"The folder {_root.Path} cannot be listed: {Errno.Name(errno)}. Give the process's user permission to read it.")
                : Errno.ToIOException(errno, $"list the folder {_root.Path}");
        }

        Skip(folder.Path, ItemKind.Folder, errno);
    }

    private void Take(Folder folder)
    {
        foreach ((string name, ItemKind kind) in _items)
        {
            if (name[0] == '.' && !_servesDotFiles && name != WellKnown)
            {
                continue;
            }

            string path = folder.Path.Length == 0 ? name : $"{folder.Path}/{name}";
            switch (kind)
            {
                case ItemKind.File:
                    Files.Add(path);
                    break;
                case ItemKind.Folder:
                    Open(folder, path, isLink: false);
                    break;
                case ItemKind.LinkOrUnknown:
                    Follow(folder, path);
                    break;
                case ItemKind.NotUtf8:
                    _skip(path, kind, "its name is not UTF-8, so no request can name it. Rename it");
                    break;
                case ItemKind.Special:
                default:
                    _skip(path, kind, "it is not a regular file");
                    break;
            }
        }
    }

    private void Follow(Folder folder, string path)
    {
        int errno = _root.Find(path, out FileStatus status);
        if (errno != 0)
        {
            if (errno != Errno.ELOOP || _root.FollowsLinks)
            {
                Skip(path, ItemKind.LinkOrUnknown, errno);
            }

            return;
        }

        if (_root.FollowsLinks)
        {
            _links.Add((path, FileIdentity.Of(status)));
        }

        if (status.IsDirectory)
        {
            Open(folder, path, _root.FollowsLinks);
        }
        else if (status.IsRegular)
        {
            Files.Add(path);
        }
        else
        {
            _skip(path, ItemKind.Special, "it does not lead to a regular file");
        }
    }

    private void Open(Folder parent, string path, bool isLink)
    {
        bool isLinked = isLink || parent.IsLinked;
        if (parent.Depth >= MaxDepth)
        {
            _skip(path, ItemKind.Folder, $"it lies more than {MaxDepth} folders deep");
        }
        else if (isLinked && ++_linkedCount > MaxLinkedFolders)
        {
            if (_linkedCount == MaxLinkedFolders + 1)
            {
                _skip("", ItemKind.Folder, $"more than {MaxLinkedFolders} of its folders are reached through symbolic links; the rest is skipped");
            }
        }
        else
        {
            _open.Push(new Folder(path, parent.Depth + 1, parent, isLinked));
        }
    }

    private void Skip(string path, ItemKind kind, int errno)
    {
        // What is not there any more was removed since its name was read, or is a link that leads nowhere.
        if (errno is not (0 or Errno.ENOENT))
        {
            _skip(path, kind, $"it cannot be opened ({Errno.Name(errno)})");
        }
    }

    /// <summary>A folder on one of its paths.</summary>
    private sealed class Folder(string path, int depth, Folder? parent, bool isLinked)
    {
        internal string Path => path;

        internal int Depth => depth;

        internal Folder? Parent => parent;

        /// <summary>Whether a link leads to it, or to a folder around it.</summary>
        internal bool IsLinked => isLinked;

        internal FileIdentity Identity { get; set; }

        internal bool LiesInItself()
        {
            for (Folder? outer = Parent; outer is not null; outer = outer.Parent)
            {
                if (outer.Identity == Identity)
                {
                    return true;
                }
            }

            return false;
        }
    }
}
