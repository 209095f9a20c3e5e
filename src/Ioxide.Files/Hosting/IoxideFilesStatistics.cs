namespace Ioxide.Files;

/// <summary>Statistics of a mapped folder at one moment.</summary>
/// <param name="Folder">The full path.</param>
/// <param name="FileCount">The number of files, including compressed siblings.</param>
/// <param name="MemoryBytes">Bytes of files in memory.</param>
/// <param name="DiskFileCount">The number of files that stay on disk because the memory budget is used up.</param>
/// <param name="Hits">Requests for existing files.</param>
/// <param name="Misses">Requests below the prefix for files that do not exist.</param>
/// <param name="NotModified">Hits that were answered with 304.</param>
/// <param name="ByReference">Bodies that were sent without copying.</param>
public sealed record IoxideFilesStatistics(
    string Folder, int FileCount, long MemoryBytes, int DiskFileCount, long Hits, long Misses, long NotModified, long ByReference)
{
    internal static IoxideFilesStatistics Of(FileSite site)
    {
        FileSnapshot snapshot = site.Snapshot;
        FileCounters counters = site.Counters;
        return new IoxideFilesStatistics(
            site.Folder, snapshot.FileCount, snapshot.MemoryBytes, snapshot.DiskFileCount, counters.Hits, counters.Misses,
            counters.NotModified, counters.ByReference);
    }
}
