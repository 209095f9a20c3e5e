namespace Ioxide.Files;

/// <summary>Looks at what changed below a root: files that may be served, and the folders and links that lead to them. Nothing is read.</summary>
/// <remarks>
/// Names are looked at alone; folders that are new are listed with all that is in them. What cannot be opened is left out and logged. A
/// folder to which links lead is listed under each of its paths, except below itself.
/// </remarks>
internal sealed class FolderWalk
{
    // Links may lead in circles. No real path is as deep as this.
    private const int MaxDepth = 128;

    // Two links in each of twenty folders lead to the innermost on a million paths.
    private const int MaxLinkedFolders = 10_000;

    private const string WellKnown = ".well-known";

    private readonly FileRoot _root;
    private readonly IoxideFilesOptions _options;
    private readonly SnapshotBuilder _builder;
    private readonly SkipLog _log;
    private readonly Action<string, SafeFileHandle, FileIdentity> _enter;
    private readonly Stack<FolderDraft> _unlisted = new();
    private readonly List<FolderDraft> _drafts = [];
    private readonly FolderDraft _top;
    private bool _isWhole;
    private bool _keepsKnown;
    private int _linkedCount;

    /// <param name="root">The folder.</param>
    /// <param name="before">What was known below it; null for nothing.</param>
    /// <param name="options">What is served.</param>
    /// <param name="builder">Knows types.</param>
    /// <param name="log">Takes what is left out.</param>
    /// <param name="enter">Called with the path of each folder that is listed, and with the folder, open, before it is listed.</param>
    internal FolderWalk(
        FileRoot root, Folder? before, IoxideFilesOptions options, SnapshotBuilder builder, SkipLog log,
        Action<string, SafeFileHandle, FileIdentity> enter)
    {
        _root = root;
        _options = options;
        _builder = builder;
        _log = log;
        _enter = enter;
        _top = Add(new FolderDraft("", null, before, isLinked: false, log));
    }

    /// <summary>The folders that were looked into, each behind the one that it lies in; the root is first.</summary>
    internal IReadOnlyList<FolderDraft> Drafts => _drafts;

    /// <param name="changes">What is looked at.</param>
    /// <param name="cancellationToken">Ends the walk.</param>
    /// <exception cref="IOException">The root cannot be listed, or no descriptors or memory are left.</exception>
    /// <exception cref="UnauthorizedAccessException">The root must not be listed.</exception>
    internal void Run(FolderChanges changes, CancellationToken cancellationToken)
    {
        // Where links led to too many folders, any change may make room for others.
        _isWhole = changes.IsWhole || _top.Before?.Skipped.Any(static skip => skip.Name.Length == 0) == true;
        _linkedCount = _isWhole ? 0 : _top.Before?.Totals.LinkedFolders ?? 0;
        _keepsKnown = !_isWhole;
        var names = new PriorityQueue<(string Folder, IEnumerable<string> Names), int>();
        names.EnqueueRange(_isWhole
            ? [(("", [""]), 0)]
            : changes.Names.Select(static folder => ((folder.Key, (IEnumerable<string>)folder.Value), folder.Key.Length)));
        while (names.TryDequeue(out (string Folder, IEnumerable<string> Names) next, out _))
        {
            cancellationToken.ThrowIfCancellationRequested();

            // What was listed in this walk was seen after the change, but for the folders that listing leaves as they are.
            FolderDraft? folder = Find(next.Folder);
            string[] unseen = folder?.IsListed == true
                ? [.. next.Names.Where(name => name.Length > 0 && !folder.HasLookedAt(name))]
                : [.. next.Names];
            if (folder is not null && unseen.Length > 0 && !TryLook(folder, unseen))
            {
                // It was replaced just now. What was found in it before is looked at again.
                _keepsKnown = false;
                (string outer, string name) = FolderPath.Split(next.Folder);
                names.Enqueue((outer, [name]), outer.Length);
            }

            while (_unlisted.TryPop(out FolderDraft? unlisted))
            {
                cancellationToken.ThrowIfCancellationRequested();
                List(unlisted);
            }
        }

        _drafts.RemoveAll(static draft => !draft.IsAttached);
    }

    /// <summary>The draft of a folder; null where there is none by that path.</summary>
    internal FolderDraft? Find(string path)
    {
        FolderDraft draft = _top;
        foreach (string name in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            if (!draft.Folders.TryGetValue(name, out FolderDraft? inner))
            {
                if (draft.HasLookedAt(name) || draft.Before?.Items.Find(name) is not Folder known)
                {
                    return null;
                }

                draft.Set(inner = Add(new FolderDraft(name, draft, known, known.IsLinked, _log)));
            }

            draft = inner;
        }

        return draft;
    }

    private FolderDraft Add(FolderDraft draft)
    {
        _drafts.Add(draft);
        return draft;
    }

    /// <returns>False where the folder is not the one that is known by its path.</returns>
    private bool TryLook(FolderDraft folder, IEnumerable<string> names)
    {
        if (folder.Parent is null && names.Contains(""))
        {
            _unlisted.Push(folder);
            return true;
        }

        using SafeFileHandle? handle = _root.TryOpenFolder(folder.Path, out FileStatus status, out int errno);
        if (folder.Parent is null)
        {
            ThrowIfUnlisted(_root.Path, handle is null ? errno : 0);
        }
        else if (handle is null || FileIdentity.Of(status) != folder.Identity)
        {
            return false;
        }

        folder.ChangedNs = FileVersion.Of(status).ChangedNs;
        foreach (string name in names)
        {
            folder.Clear(name);
            if (FolderNames.KindOf(handle!, name) is { } kind)
            {
                Take(folder, name, kind, isNamed: true);
            }
        }

        return true;
    }

    private void List(FolderDraft folder)
    {
        using SafeFileHandle? handle = _root.TryOpenFolder(folder.Path, out FileStatus status, out int errno);
        if (handle is not null)
        {
            folder.Identity = FileIdentity.Of(status);
            folder.ChangedNs = FileVersion.Of(status).ChangedNs;
            if (folder.IsLinked && folder.LiesInItself())
            {
                folder.Parent!.Drop(folder);
                return;
            }

            _enter(folder.Path, handle, folder.Identity);
            List<(string Name, ItemKind Kind)> items = [];
            errno = FolderNames.Read(handle, items);
            if (errno == 0)
            {
                folder.IsListed = true;
                foreach ((string name, ItemKind kind) in items)
                {
                    Take(folder, name, kind, isNamed: false);
                }

                ClearOthers(folder, items);
                return;
            }
        }

        if (folder.Parent is null)
        {
            ThrowIfUnlisted(_root.Path, errno);
        }
        else
        {
            folder.Parent.Drop(folder);
            Skip(folder.Parent, folder.Name, errno);
        }
    }

    private static void ClearOthers(FolderDraft folder, List<(string Name, ItemKind Kind)> items)
    {
        HashSet<string> names = [.. items.Where(static item => item.Kind != ItemKind.NotUtf8).Select(static item => item.Name)];
        foreach (FolderItem known in folder.Before?.Items.Items ?? [])
        {
            if (!names.Contains(known.Name))
            {
                folder.Clear(known.Name);
            }
        }
    }

    /// <exception cref="UnauthorizedAccessException">The folder must not be listed.</exception>
    /// <exception cref="IOException">Another error than 0.</exception>
    internal static void ThrowIfUnlisted(string folder, int errno)
    {
        if (errno != 0)
        {
            throw errno is Errno.EACCES or Errno.EPERM
                ? new UnauthorizedAccessException(
                    $"The folder {folder} cannot be listed: {Errno.Name(errno)}. Give the process's user permission to read it.")
                : Errno.ToIOException(errno, $"list the folder {folder}");
        }
    }

    /// <param name="folder">Where the name was found.</param>
    /// <param name="name">The name.</param>
    /// <param name="kind">What the folder says that it is.</param>
    /// <param name="isNamed">Whether the name itself is to be looked at. Else a folder that is known is left as it is.</param>
    private void Take(FolderDraft folder, string name, ItemKind kind, bool isNamed)
    {
        if (kind == ItemKind.NotUtf8)
        {
            folder.Skip(name, "its name is not UTF-8, so no request can name it. Rename it");
            return;
        }

        folder.Clear(name);
        if (name[0] == '.' && !_options.ServeDotFiles && name != WellKnown)
        {
            return;
        }

        string path = FolderPath.Join(folder.Path, name);
        switch (kind)
        {
            case ItemKind.File:
                AddFile(folder, name, path);
                break;
            case ItemKind.Folder:
                FileIdentity? kept = !isNamed && _keepsKnown && _root.Find(path, out FileStatus status) == 0 ? FileIdentity.Of(status) : null;
                Open(folder, name, kept, isLink: false);
                break;
            case ItemKind.LinkOrUnknown:
                Follow(folder, name, path, isNamed);
                break;
            default:
                SkipFile(folder, name, "it is not a regular file");
                break;
        }
    }

    private void Follow(FolderDraft folder, string name, string path, bool isNamed)
    {
        int errno = _root.Find(path, out FileStatus status);
        if (_root.FollowsLinks)
        {
            folder.SetLink(name, LinkTarget.Of(errno, status));
        }

        if (errno != 0)
        {
            if (_builder.IsServed(folder, name) && (errno != Errno.ELOOP || _root.FollowsLinks))
            {
                Skip(folder, name, errno);
            }
        }
        else if (status.IsDirectory)
        {
            Open(folder, name, !isNamed && _keepsKnown ? FileIdentity.Of(status) : null, _root.FollowsLinks);
        }
        else if (status.IsRegular)
        {
            AddFile(folder, name, path);
        }
        else
        {
            SkipFile(folder, name, "it does not lead to a regular file");
        }
    }

    private void AddFile(FolderDraft folder, string name, string path)
    {
        if (!_builder.IsServed(folder, name))
        {
            return;
        }

        using SafeFileHandle? handle = _root.TryOpenFile(path, out FileStatus status, out int errno);
        if (handle is not null)
        {
            folder.Files[name] = new FileDraft(folder, name, FileVersion.Of(status));
        }
        else if (errno == 0)
        {
            folder.Skip(name, "it is not a regular file");
        }
        else
        {
            Skip(folder, name, errno);
        }
    }

    /// <param name="parent">Where it lies.</param>
    /// <param name="name">Its name.</param>
    /// <param name="identity">The folder that is left as it is where it is known by that name; null: it is listed anyway.</param>
    /// <param name="isLink">Whether a link leads to it.</param>
    private void Open(FolderDraft parent, string name, FileIdentity? identity, bool isLink)
    {
        var known = parent.Before?.Items.Find(name) as Folder;
        bool isLinked = isLink || parent.IsLinked;
        if (parent.Depth >= MaxDepth)
        {
            parent.Skip(name, $"it lies more than {MaxDepth} folders deep");
        }
        else if (known is not null && known.Identity == identity && known.IsLinked == isLinked && parent.IsKnown)
        {
            parent.Files.Remove(name);
        }
        else if (isLinked && (known?.IsLinked != true || _isWhole) && ++_linkedCount > MaxLinkedFolders)
        {
            _top.Skip("", $"more than {MaxLinkedFolders} of its folders are reached through symbolic links; the rest is skipped");
        }
        else
        {
            FolderDraft draft = Add(new FolderDraft(name, parent, known, isLinked, _log));
            parent.Set(draft);
            _unlisted.Push(draft);
        }
    }

    /// <remarks>What would not be served anyway is not missed.</remarks>
    private void SkipFile(FolderDraft folder, string name, string reason)
    {
        if (_builder.IsServed(folder, name))
        {
            folder.Skip(name, reason);
        }
    }

    private static void Skip(FolderDraft folder, string name, int errno)
    {
        // What is not there any more was removed since its name was read, or is a link that leads nowhere.
        if (errno is not (0 or Errno.ENOENT))
        {
            folder.Skip(name, $"it cannot be opened ({Errno.Name(errno)})");
        }
    }
}
