using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Files;

/// <summary>Loads the mapped folders before the host serves, and opens the front door when its endpoints are known.</summary>
internal sealed class FileSitesService(FileSites sites, EndpointDataSource endpoints) : IHostedLifecycleService
{
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        foreach (FileSite site in sites.All)
        {
            await site.StartAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        sites.OpenFrontDoor(FrontDoorPlan.Of(endpoints.Endpoints, sites.Logger));
        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        sites.OpenFrontDoor(FrontDoorPlan.Closed);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        foreach (FileSite site in sites.All)
        {
            await site.StopWatchingAsync().ConfigureAwait(false);
        }
    }
}
