using Ioxide.Files;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The application that the probe asks: plain endpoints, the framework's WebSockets, and one static file.</summary>
internal static class ProbeApplication
{
    internal static void Register(IServiceCollection services, bool usesIoxideFiles)
    {
        services.AddRouting();
        if (usesIoxideFiles)
        {
            services.AddIoxideFiles();
        }
    }

    /// <param name="folder">Holds the file.</param>
    internal static void Map(WebApplication app, string folder, bool usesIoxideFiles)
    {
        app.UseWebSockets();
        if (usesIoxideFiles)
        {
            app.MapIoxideFiles("/", folder);
        }
        else
        {
            app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(folder) { UsePollingFileWatcher = true } });
        }

        app.MapMethods("/", ["GET", "HEAD"], GreetAsync);
        app.MapMethods("/", ["OPTIONS"], static (HttpContext context) =>
        {
            context.Response.Headers.Allow = "GET, HEAD, OPTIONS, POST";
            context.Response.StatusCode = StatusCodes.Status204NoContent;
        });
        app.MapMethods("/", ["POST"], Handlers.EchoAsync);
        app.Map("/echo", static (HttpContext context) => Handlers.TextAsync(
            context, string.Concat(context.Request.Headers.SelectMany(static field => field.Value.Select(value => $"{field.Key}: {value}\n")))));
        app.Map("/cookie", static (HttpContext context) => Handlers.TextAsync(
            context, string.Concat(context.Request.Cookies.Select(static cookie => $"{cookie.Key}={cookie.Value}\n"))));
    }

    private static async Task GreetAsync(HttpContext context)
    {
        if (context.WebSockets.IsWebSocketRequest)
        {
            using (await context.WebSockets.AcceptWebSocketAsync())
            {
                return;
            }
        }

        context.Response.ContentType = "text/plain";
        await Handlers.TextAsync(context, "OK");
    }
}
