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
            // Its endpoints open files below the web root.
            builder.Environment.WebRootPath = folder;
            builder.Environment.WebRootFileProvider = new PhysicalFileProvider(folder);
        }
        else if (options.FilesBy is FilesChoice.Pipeline or FilesChoice.ShortCircuit)
        {
            builder.Services.AddIoxideFiles();
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
                string manifest = StaticAssetsManifest.Write(folder);
                app.MapStaticAssets(manifest);

                // It has been read.
                File.Delete(manifest);
                break;
            case FilesChoice.Pipeline:
                app.MapIoxideFiles("/", folder);
                break;
            default:
                app.MapIoxideFiles("/", folder).ShortCircuit();
                break;
        }
    }
}
