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
