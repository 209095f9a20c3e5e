namespace Ioxide.Files;

/// <summary>A folder that is being read: what was found of the names that were looked at. The others stay as they were.</summary>
/// <param name="name">In its parent.</param>
/// <param name="parent">Null for the root.</param>
/// <param name="before">What was known by this path; null for nothing.</param>
/// <param name="isLinked">Whether a link leads to it, or to a folder around it.</param>
/// <param name="log">Takes what is not served.</param>
internal sealed class FolderDraft(string name, FolderDraft? parent, Folder? before, bool isLinked, SkipLog log)
{
    private readonly HashSet<SkippedItem> _known = [.. before?.Skipped ?? []];
    private readonly HashSet<SkippedItem> _skipped = [];
    private readonly HashSet<string> _cleared = new(StringComparer.Ordinal);
    private readonly Dictionary<string, FileIdentity> _links = new(StringComparer.Ordinal);

    internal string Path { get; } = parent is null ? "" : FolderPath.Join(parent.Path, name);

    internal string Name { get; } = name;

    internal FolderDraft? Parent { get; } = parent;

    internal Folder? Before { get; } = before;

    internal bool IsLinked { get; } = isLinked;

    internal int Depth { get; } = parent is null ? 0 : parent.Depth + 1;

    internal FileIdentity Identity { get; set; } = before?.Identity ?? default;

    internal Int128 ChangedNs { get; set; } = before?.ChangedNs ?? 0;

    /// <summary>Whether it is the folder that was known, in the folders that were known: then links in it lie below themselves as before.</summary>
    internal bool IsKnown => Before?.Identity == Identity && Before.IsLinked == IsLinked && Parent?.IsKnown != false;

    /// <summary>Whether all names in it were looked at.</summary>
    internal bool IsListed { get; set; }

    /// <summary>Files that were found; null: the name stands for nothing that is served.</summary>
    internal Dictionary<string, FileDraft?> Files { get; } = new(StringComparer.Ordinal);

    internal Dictionary<string, FolderDraft> Folders { get; } = new(StringComparer.Ordinal);

    /// <summary>What it has become.</summary>
    internal Folder? Result { get; private set; }

    /// <summary>Whether it is still what its path leads to: a folder around it may have been found anew since.</summary>
    internal bool IsAttached
    {
        get
        {
            FolderDraft inner = this;
            while (inner.Parent is { } outer)
            {
                if (outer.Folders.GetValueOrDefault(inner.Name) != inner)
                {
                    return false;
                }

                inner = outer;
            }

            return true;
        }
    }

    internal bool LiesInItself()
    {
        for (FolderDraft? outer = Parent; outer is not null; outer = outer.Parent)
        {
            if (outer.Identity == Identity)
            {
                return true;
            }
        }

        return false;
    }

    internal bool HasLookedAt(string item) => Files.ContainsKey(item) || Folders.ContainsKey(item);

    /// <summary>A name is looked at; until something is found, it stands for nothing.</summary>
    internal void Clear(string item)
    {
        _cleared.Add(item);
        _links.Remove(item);
        Folders.Remove(item);
        Files[item] = null;
    }

    /// <summary>A folder was found, and is not served. A link to it is still looked at.</summary>
    internal void Drop(FolderDraft folder)
    {
        Folders.Remove(folder.Name);
        Files[folder.Name] = null;
    }

    internal void Set(FolderDraft folder)
    {
        Files.Remove(folder.Name);
        Folders[folder.Name] = folder;
    }

    /// <summary>A link is followed.</summary>
    /// <param name="item">Its name.</param>
    /// <param name="target">What it leads to.</param>
    internal void SetLink(string item, FileIdentity target) => _links[item] = target;

    /// <param name="item">A name in the folder; empty for something of the whole site.</param>
    /// <param name="reason">Words behind "is skipped:", without a full stop.</param>
    internal void Skip(string item, string reason)
    {
        if (IsNews(item, reason))
        {
            log.Skip(FolderPath.Join(Path, item), reason);
        }
    }

    /// <summary>An option of the application's failed for one file.</summary>
    internal void FailOption(string item, string option, string error, string consequence)
    {
        if (IsNews(item, option))
        {
            log.Option(FolderPath.Join(Path, item), option, error, consequence);
        }
    }

    /// <summary>What a file is by now: as it was found, else as it was known.</summary>
    internal FileContent? ContentOf(string item) => Files.TryGetValue(item, out FileDraft? file) ? file?.Content
        : Folders.ContainsKey(item) ? null
        : (Before?.Items.Find(item) as FileEntry)?.Content;

    /// <summary>Makes the folder of it, once its files are read and the folders in it are made.</summary>
    /// <param name="makeEntry">Makes what a name answers with of its content.</param>
    internal void Finish(Func<FolderDraft, string, FileContent, FileEntry> makeEntry)
    {
        var changes = new Dictionary<string, FolderItem?>(StringComparer.Ordinal);
        foreach (string item in Files.Keys.Concat(Folders.Keys))
        {
            FolderItem? known = Before?.Items.Find(item);
            FolderDraft? folder = Folders.GetValueOrDefault(item);
            FileContent? content = ContentOf(item);
            if (content is null && known != folder?.Result)
            {
                changes[item] = folder?.Result;
            }

            if (content != (known as FileEntry)?.Content)
            {
                foreach (string affected in SnapshotBuilder.OriginalsOf(item).Prepend(item))
                {
                    if (ContentOf(affected) is { } whole)
                    {
                        changes[affected] = makeEntry(this, affected, whole);
                    }
                }
            }
        }

        LinkTarget[] links =
        [
            .. (Before?.Links ?? []).Where(link => !IsListed && !_cleared.Contains(link.Name)),
            .. _links.Select(static link => new LinkTarget(link.Key, link.Value)),
        ];
        SkippedItem[] skipped = [.. _known.Where(skip => !IsListed && !_cleared.Contains(skip.Name)).Union(_skipped)];
        if (Before is not null && changes.Count == 0 && Before.Identity == Identity && Before.IsLinked == IsLinked
            && links.Length == Before.Links.Length && !links.Except(Before.Links).Any() && _known.SetEquals(skipped))
        {
            Result = Before;
        }
        else
        {
            FolderTotals totals = (Before?.Totals ?? default) - OwnTotals(Before?.Links, Before?.IsLinked) + OwnTotals(links, IsLinked);
            foreach ((string item, FolderItem? now) in changes)
            {
                totals = totals - (Before?.Items.Find(item)?.Totals ?? default) + (now?.Totals ?? default);
            }

            Result = new Folder(Name, Identity, IsLinked, (Before?.Items ?? NameTable.Empty).With(changes), links, skipped, totals);
        }

        Result.ChangedNs = ChangedNs;
    }

    private static FolderTotals OwnTotals(LinkTarget[]? links, bool? isLinked) => new(0, 0, 0, 0, links?.Length ?? 0, isLinked == true ? 1 : 0);

    private bool IsNews(string item, string reason)
    {
        var skipped = new SkippedItem(item, reason);
        return _skipped.Add(skipped) && !_known.Contains(skipped);
    }
}

/// <summary>A file that was found, and becomes a content of it.</summary>
internal sealed class FileDraft(FolderDraft folder, string name, FileVersion version)
{
    internal FolderDraft Folder { get; } = folder;

    internal string Name { get; } = name;

    internal FileVersion Version { get; } = version;

    /// <summary>What was known by this path.</summary>
    internal FileContent? Known { get; } = (folder.Before?.Items.Find(name) as FileEntry)?.Content;

    internal bool IsInMemory { get; set; }

    internal FileContent? Content { get; set; }

    /// <summary>Why it has no content; null where it just vanished.</summary>
    internal string? Failure { get; set; }
}
