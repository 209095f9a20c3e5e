using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.FileProviders;

namespace Ioxide.LoadHost;

/// <summary>One folder of static files, by the framework or by Ioxide.Files.</summary>
internal static class FileEndpoints
{
    internal static void AddFiles(this WebApplicationBuilder builder, LoadHostOptions options)
    {
        if (options.Files is not { } folder)
        {
            return;
        }

        if (options.FilesBy == FilesChoice.Assets)
        {
            // Its end points open files below the web root.
            builder.Environment.WebRootPath = folder;
            builder.Environment.WebRootFileProvider = new PhysicalFileProvider(folder);
        }
        else if (options.FilesBy is FilesChoice.Pipeline or FilesChoice.Front)
        {
            builder.Services.AddIoxideFiles();
        }
    }

    internal static void UseFiles(this ListenOptions listen, LoadHostOptions options)
    {
        if (options.Files is not null && options.FilesBy == FilesChoice.Front)
        {
            listen.UseIoxideFiles(bypassMiddleware: true);
        }
    }

    internal static void MapFiles(this WebApplication app, LoadHostOptions options)
    {
        if (options.Files is not { } folder)
        {
            return;
        }

        switch (options.FilesBy)
        {
            case FilesChoice.Static:
                app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(folder) });
                break;
            case FilesChoice.Assets:
                app.MapStaticAssets(StaticAssetsManifest.Write(folder));
                break;
            default:
                app.MapIoxideFiles("/", folder);
                break;
        }
    }
}
