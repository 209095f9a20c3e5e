namespace Ioxide.Files.Tests;

/// <summary>Everything that a snapshot answers, by decoded path.</summary>
internal static class SnapshotEntries
{
    internal static IEnumerable<(string Path, FileEntry Entry)> Entries(this FileSnapshot snapshot)
        => snapshot.Folder.Walk("", static _ => true)
            .SelectMany(static folder => folder.Folder.Items.Items.Select(item => item.Name).Append("").Select(name => $"/{FolderPath.Join(folder.Path, name)}"))
            .Where(path => snapshot.Find(path) is not null)
            .Select(path => (path, snapshot.Find(path)!));
}
