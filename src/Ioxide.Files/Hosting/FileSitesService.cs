using Microsoft.Extensions.Hosting;

namespace Ioxide.Files;

/// <summary>Loads the mapped folders before the host serves.</summary>
internal sealed class FileSitesService(FileSites sites) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => sites.LoadAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        foreach (FileSite site in sites.All)
        {
            await site.StopWatchingAsync().ConfigureAwait(false);
        }
    }
}
