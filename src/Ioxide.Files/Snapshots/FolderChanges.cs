namespace Ioxide.Files;

/// <summary>What of a folder has to be looked at again: names, all places, or everything. Threads: one at a time.</summary>
internal sealed class FolderChanges
{
    // Beyond that, looking at everything costs less memory.
    private const int MaxNames = 100_000;

    private readonly Dictionary<string, HashSet<string>> _names = new(StringComparer.Ordinal);
    private int _count;

    /// <summary>Every file is looked at.</summary>
    internal bool IsWhole { get; private set; }

    /// <summary>The folders are looked at, and whether the path of the root leads to another one.</summary>
    internal bool IncludesPlaces { get; private set; }

    internal bool IsEmpty => !IsWhole && !IncludesPlaces && _count == 0;

    /// <summary>Names to look at, by the path of their folder. The root itself is the empty name in it.</summary>
    internal IReadOnlyDictionary<string, HashSet<string>> Names => _names;

    internal static FolderChanges Whole() => new() { IsWhole = true, IncludesPlaces = true };

    internal static FolderChanges Places() => new() { IncludesPlaces = true };

    internal void AddPlaces() => IncludesPlaces = true;

    internal void AddWhole()
    {
        IsWhole = IncludesPlaces = true;
        _names.Clear();
        _count = 0;
    }

    /// <summary>A name is looked at; where it is a folder, everything in it.</summary>
    internal void Add(string folder, string name)
    {
        if (IsWhole)
        {
            return;
        }

        if (!_names.TryGetValue(folder, out HashSet<string>? names))
        {
            _names.Add(folder, names = new HashSet<string>(StringComparer.Ordinal));
        }

        _count += names.Add(name) ? 1 : 0;
        if (_count > MaxNames)
        {
            AddWhole();
        }
    }

    internal void Add(string path)
    {
        (string folder, string name) = FolderPath.Split(path);
        Add(folder, name);
    }

    internal void Add(FolderChanges other)
    {
        IncludesPlaces |= other.IncludesPlaces;
        if (other.IsWhole)
        {
            AddWhole();
        }

        foreach ((string folder, HashSet<string> names) in other._names)
        {
            foreach (string name in names)
            {
                Add(folder, name);
            }
        }
    }

    /// <summary>Folders of which the paths lead elsewhere.</summary>
    /// <param name="root">What they lie below.</param>
    /// <param name="folders">The folders.</param>
    /// <param name="comparesNames">Whether those count too in which names changed that nothing has told of.</param>
    internal void AddMoved(FileRoot root, IEnumerable<(string Path, Folder Folder)> folders, bool comparesNames)
    {
        foreach ((string path, Folder folder) in folders)
        {
            if (root.Find(path, out FileStatus status) != 0 || FileIdentity.Of(status) != folder.Identity
                || (comparesNames && FileVersion.Of(status).ChangedNs != folder.ChangedNs && !_names.ContainsKey(path)))
            {
                Add(path);
            }
        }
    }

    /// <summary>Links that lead elsewhere, or of which the file changed. All are looked at: what they lead to may lie anywhere.</summary>
    internal void AddMovedLinks(FileRoot root, Folder below)
    {
        foreach ((string path, Folder folder) in below.Walk("", static folder => folder.Totals.Links > 0))
        {
            foreach (LinkTarget link in folder.Links)
            {
                int errno = root.Find(FolderPath.Join(path, link.Name), out FileStatus status);
                if (LinkTarget.Of(errno, status) != link.Identity
                    || (status.IsRegular && folder.Items.Find(link.Name) is FileEntry file && file.Content.Version != FileVersion.Of(status)))
                {
                    Add(path, link.Name);
                }
            }
        }
    }
}
