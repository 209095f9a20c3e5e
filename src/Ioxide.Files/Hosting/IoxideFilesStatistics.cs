namespace Ioxide.Files;

/// <summary>One reading of a mapped folder.</summary>
/// <param name="Folder">The full path.</param>
/// <param name="FileCount">Files that were found, siblings counted.</param>
/// <param name="MemoryBytes">Bytes of them in memory.</param>
/// <param name="DiskFileCount">Files that are left on disk, because the budget is used up.</param>
/// <param name="Hits">Requests for files that are there.</param>
/// <param name="Misses">Requests below the prefix for what is not there, as the pipeline saw them.</param>
/// <param name="NotModified">Hits that were answered by 304.</param>
/// <param name="AtFrontDoor">Hits that were answered before the server.</param>
/// <param name="ByReference">Bodies that were sent without a copy.</param>
public sealed record IoxideFilesStatistics(
    string Folder, int FileCount, long MemoryBytes, int DiskFileCount, long Hits, long Misses, long NotModified, long AtFrontDoor,
    long ByReference)
{
    internal static IoxideFilesStatistics Of(FileSite site)
    {
        FileSnapshot snapshot = site.Snapshot;
        FileCounters counters = site.Counters;
        return new IoxideFilesStatistics(
            site.Folder, snapshot.FileCount, snapshot.MemoryBytes, snapshot.DiskFileCount, counters.Hits, counters.Misses,
            counters.NotModified, counters.AtFrontDoor, counters.ByReference);
    }
}
