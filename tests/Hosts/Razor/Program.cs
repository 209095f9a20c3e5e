// An ordinary Razor application, for tests: a page with an import map, fingerprinted names and asp-append-version.
//   --site PATH       the folder that has wwwroot
//   --assets PATH     MapStaticAssets, with this manifest; else UseStaticFiles, or nothing beside --alone
//   --files           MapIoxideFiles of the same wwwroot beside them
//   --order NUMBER    of these
//   --alone           MapIoxideFiles in place of UseStaticFiles
// It prints "listening ADDRESS" once it serves, and stops when its standard input ends.
using System.Globalization;
using Ioxide.BlockedHost;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

string? ValueOf(string option)
{
    int index = Array.IndexOf(args, option);
    return index >= 0 ? args[index + 1] : null;
}

bool isAlone = args.Contains("--alone");
string? manifest = ValueOf("--assets");
WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions { ContentRootPath = ValueOf("--site") });
builder.Logging.ClearProviders().AddSimpleConsole(console => console.SingleLine = true);
builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(System.Net.IPAddress.Loopback, 0));
builder.Services.AddRazorPages();
bool hasFiles = isAlone || args.Contains("--files");
if (hasFiles)
{
    builder.WebHost.UseIoxide(static options => options.ReactorCount = 1);
    builder.Services.AddIoxideFiles();
}

WebApplication app = builder.Build();
if (manifest is null && !isAlone)
{
    app.UseStaticFiles();
}

app.UseRouting();
if (manifest is not null)
{
    app.MapStaticAssets(manifest);
    app.MapRazorPages().WithStaticAssets(manifest);
}
else
{
    app.MapRazorPages();
}

if (hasFiles)
{
    IEndpointConventionBuilder files = app.MapIoxideFiles("/", app.Environment.WebRootPath);
    _ = ValueOf("--order") is { } order ? files.WithOrder(int.Parse(order, CultureInfo.InvariantCulture)) : files;
}

await app.StartAsync();
Console.WriteLine($"listening {app.Urls.Single()}");

_ = HostInput.EndAsync().ContinueWith(_ => app.Lifetime.StopApplication(), TaskScheduler.Default);
await app.WaitForShutdownAsync();
await app.DisposeAsync();
