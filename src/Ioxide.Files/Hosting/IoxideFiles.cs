namespace Ioxide.Files;

/// <summary>Reloads the mapped folders of a host and reads their statistics. It is a service of the host.</summary>
public sealed class IoxideFiles
{
    private readonly FileSites _sites;

    internal IoxideFiles(FileSites sites) => _sites = sites;

    /// <summary>Reads the statistics of each mapped folder, in the order in which the folders were mapped. Threads: any.</summary>
    public IReadOnlyList<IoxideFilesStatistics> GetStatistics() => [.. _sites.All.Select(IoxideFilesStatistics.Of)];

    /// <summary>Reloads all folders. Responses in progress are completed with the previous content.</summary>
    /// <remarks>Threads: any. Unchanged files are not read again.</remarks>
    /// <exception cref="IOException">A folder cannot be read. Its previous content is still served.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder must not be read. Its previous content is still served.</exception>
    public async Task ReloadAsync(CancellationToken cancellationToken = default)
    {
        foreach (FileSite site in _sites.All)
        {
            await site.ReloadAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
