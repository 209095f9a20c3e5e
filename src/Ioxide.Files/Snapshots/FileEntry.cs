namespace Ioxide.Files;

/// <summary>What a path answers with: the representations of one file.</summary>
internal sealed class FileEntry
{
    private readonly FileVariant[] _variants;

    /// <param name="variants">Identity first.</param>
    internal FileEntry(params FileVariant[] variants) => _variants = variants;

    internal IReadOnlyList<FileVariant> Variants => _variants;

    internal FileVariant Identity => _variants[0];

    /// <summary>The representation that the client wants most, the smallest of those it wants as much; null: it refuses all.</summary>
    internal FileVariant? Choose(AcceptedCodings accepted)
    {
        FileVariant? chosen = null;
        int weight = -1;
        foreach (FileVariant candidate in _variants)
        {
            int candidateWeight = accepted.WeightOf(candidate.Coding);
            if (candidateWeight > weight || (candidateWeight == weight && chosen is not null && candidate.Length < chosen.Length))
            {
                chosen = candidate;
                weight = candidateWeight;
            }
        }

        return chosen;
    }
}
