namespace Ioxide.Files;

/// <summary>A file of a folder, and what its path answers with: the representations of the file.</summary>
/// <param name="name">In its folder.</param>
/// <param name="content">The file itself.</param>
/// <param name="identity">The representation without a coding; null: it is only the coded sibling of another file.</param>
/// <param name="coded">The representations of its coded siblings.</param>
internal sealed class FileEntry(string name, FileContent content, FileVariant? identity, FileVariant[] coded) : FolderItem(name)
{
    internal FileContent Content { get; } = content;

    /// <summary>Whether its own path is answered.</summary>
    internal bool IsServed => identity is not null;

    /// <summary>Only of one that is served.</summary>
    internal FileVariant Identity => identity!;

    /// <summary>All representations, identity first.</summary>
    internal IEnumerable<FileVariant> Variants => coded.Prepend(Identity);

    internal override FolderTotals Totals
        => new(1, Content.IsOnDisk ? 1 : 0, Content.Length, Content.IsOnDisk ? 0 : Content.Length, 0, 0);

    /// <summary>The representation that the client wants most, the smallest of those it wants as much; null: it refuses all.</summary>
    internal FileVariant? Choose(AcceptedCodings accepted)
    {
        int weight = accepted.WeightOf(FileCoding.Identity);
        FileVariant? chosen = weight < 0 ? null : identity;
        foreach (FileVariant candidate in coded)
        {
            int candidateWeight = accepted.WeightOf(candidate.Coding);
            if (candidateWeight >= 0
                && (chosen is null || candidateWeight > weight || (candidateWeight == weight && candidate.Length < chosen.Length)))
            {
                chosen = candidate;
                weight = candidateWeight;
            }
        }

        return chosen;
    }
}
