namespace Ioxide.Files;

/// <summary>What request targets are answered with, found by their bytes; only targets in their plainest form are known. Immutable.</summary>
internal sealed class TargetTable
{
    private readonly Dictionary<string, FileEntry>.AlternateLookup<ReadOnlySpan<byte>> _byTarget;

    /// <param name="entries">By decoded path, with a slash in front.</param>
    internal TargetTable(IReadOnlyCollection<KeyValuePair<string, FileEntry>> entries)
    {
        var byTarget = new Dictionary<string, FileEntry>(entries.Count, TargetComparer.Instance);
        foreach ((string path, FileEntry entry) in entries)
        {
            byTarget[PathText.ToTarget(path)] = entry;
        }

        _byTarget = byTarget.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    internal FileEntry? Find(ReadOnlySpan<byte> target) => _byTarget.TryGetValue(target, out FileEntry? entry) ? entry : null;
}
