using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.Files;

/// <summary>Reads the folders that a Startup class maps: it does so after the hosted services have begun to start.</summary>
internal sealed class FilesStartupFilter(FileSites sites) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);

        // The server starts when this returns.
        Task.Run(() => sites.LoadAsync(CancellationToken.None)).GetAwaiter().GetResult();
    };
}
