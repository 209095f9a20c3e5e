namespace Ioxide.Files;

/// <summary>One folder on one of its paths, as it was read. A folder that did not change is shared by the snapshots.</summary>
internal sealed class Folder(
    string name, FileIdentity identity, bool isLinked, NameTable items, LinkTarget[] links, SkippedItem[] skipped, FolderTotals totals)
    : FolderItem(name)
{
    /// <summary>Which folder of the machine it was.</summary>
    internal FileIdentity Identity { get; } = identity;

    /// <summary>Whether a link leads to it, or to a folder around it.</summary>
    internal bool IsLinked { get; } = isLinked;

    internal NameTable Items { get; } = items;

    /// <summary>The links in it that are followed.</summary>
    internal LinkTarget[] Links { get; } = links;

    /// <summary>What of it was logged as not served.</summary>
    internal SkippedItem[] Skipped { get; } = skipped;

    internal override FolderTotals Totals { get; } = totals;

    /// <summary>When names in it changed last, as the kernel told before they were read. Only the loader uses it.</summary>
    internal Int128 ChangedNs { get; set; }

    /// <summary>What lies below it.</summary>
    /// <param name="path">Names with single slashes between them; empty for the folder itself.</param>
    internal FolderItem? Find(ReadOnlySpan<char> path)
    {
        FolderItem? item = this;
        while (!path.IsEmpty && item is Folder folder)
        {
            int slash = path.IndexOf('/');
            item = folder.Items.Find(slash < 0 ? path : path[..slash]);
            path = slash < 0 ? default : path[(slash + 1)..];
            if (slash >= 0 && path.IsEmpty)
            {
                return null;
            }
        }

        return path.IsEmpty ? item : null;
    }

    /// <summary>The folder and those below it that are asked for, each with its path.</summary>
    /// <param name="path">The folder's path.</param>
    /// <param name="isWanted">Whether a folder counts; those below one that does not are left out too.</param>
    internal IEnumerable<(string Path, Folder Folder)> Walk(string path, Func<Folder, bool> isWanted)
    {
        var open = new Stack<(string Path, Folder Folder)>([(path, this)]);
        while (open.TryPop(out (string Path, Folder Folder) next))
        {
            yield return next;
            foreach (FolderItem item in next.Folder.Items.Items)
            {
                if (item is Folder inner && isWanted(inner))
                {
                    open.Push((FolderPath.Join(next.Path, inner.Name), inner));
                }
            }
        }
    }
}

/// <summary>A symbolic link, and which file or folder it led to, or the error's number in place of one.</summary>
internal readonly record struct LinkTarget(string Name, FileIdentity Identity)
{
    internal static FileIdentity Of(int errno, in FileStatus status) => errno == 0 ? FileIdentity.Of(status) : new FileIdentity(0, (ulong)errno);
}

/// <summary>A name that was logged, and why. The reason is not logged again while it holds.</summary>
internal readonly record struct SkippedItem(string Name, string Reason);

/// <summary>Paths from the root: names with slashes between them, the root is empty.</summary>
internal static class FolderPath
{
    internal static string Join(string folder, string name) => folder.Length == 0 ? name : $"{folder}/{name}";

    /// <summary>Takes a path apart; the root has no parts.</summary>
    internal static (string Folder, string Name) Split(string path)
    {
        int slash = path.LastIndexOf('/');
        return slash < 0 ? ("", path) : (path[..slash], path[(slash + 1)..]);
    }
}
