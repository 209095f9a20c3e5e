// A small web application on UseIoxide, for tests that need a process of its own:
//   --deny ERRNO   io_uring_setup fails with that number in this process (1 is EPERM, 38 is ENOSYS)
//   --require      sets RequireIoUring
//   --systemd      starts again as systemd would start it: a listening socket as descriptor 3
// It prints "listening ADDRESS" once it serves, answers with the transport that a request came over, and stops when
// its standard input ends. Exit status: 0, or 1 where the host did not start.
using Ioxide.AspNetCore;
using Ioxide.BlockedHost;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

string? ValueOf(string option)
{
    int index = Array.IndexOf(args, option);
    return index >= 0 ? args[index + 1] : null;
}

if (args.Contains("--systemd"))
{
    SocketActivation.StartAgain([.. args.Where(arg => arg != "--systemd"), "--activated"]);
}

if (ValueOf("--deny") is { } errno)
{
    SeccompFilter.DenyRings(int.Parse(errno, System.Globalization.CultureInfo.InvariantCulture));
}

try
{
    WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders().AddSimpleConsole(console => console.SingleLine = true);
    builder.WebHost.UseIoxide(options =>
    {
        options.ReactorCount = 1;
        options.RequireIoUring = args.Contains("--require");
    });
    builder.WebHost.ConfigureKestrel(kestrel =>
    {
        if (args.Contains("--activated"))
        {
            kestrel.UseSystemd();
        }
        else
        {
            kestrel.Listen(System.Net.IPAddress.Loopback, 0);
        }
    });
    WebApplication app = builder.Build();
    app.MapIoxideDashboard();
    app.MapFallback(context => context.Response.WriteAsync(
        context.Features.Get<IReactorFeature>() is null ? "Sockets" : "Ioxide"));
    await app.StartAsync();
    foreach (string url in app.Urls)
    {
        Console.WriteLine($"listening {url}");
    }

    await Console.In.ReadToEndAsync();
    await app.StopAsync();
    await app.DisposeAsync();
    return 0;
}
catch (Exception exception) when (exception is not OutOfMemoryException)
{
    await Console.Error.WriteLineAsync(exception.ToString());
    return 1;
}
