namespace Ioxide.Files;

/// <summary>The mapped folders of a host: reloading by call, and what was counted. A service of the host.</summary>
public sealed class IoxideFiles
{
    private readonly FileSites _sites;

    internal IoxideFiles(FileSites sites) => _sites = sites;

    /// <summary>One reading of each mapped folder, in the order in which they were mapped. Threads: any.</summary>
    public IReadOnlyList<IoxideFilesStatistics> GetStatistics() => [.. _sites.All.Select(IoxideFilesStatistics.Of)];

    /// <summary>Reads all folders anew. Answers that are being sent go on from what was read before.</summary>
    /// <remarks>Threads: any. Files that did not change are not read again.</remarks>
    /// <exception cref="IOException">A folder cannot be read; what was read before goes on being served.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public async Task ReloadAsync(CancellationToken cancellationToken = default)
    {
        foreach (FileSite site in _sites.All)
        {
            await site.ReloadAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}

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
