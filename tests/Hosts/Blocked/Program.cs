// A small web application on UseIoxide, for tests that need a process of its own:
//   --refuse CALL,...  the calls fail in this process; see RefusedCall for the names
//   --errno NUMBER     with this number (1 is EPERM, the default; 38 is ENOSYS)
//   --require          sets RequireIoUring
//   --kernel CHOICE    sets Kernel
//   --systemd          starts again as systemd would start it: a listening socket as descriptor 3
//   --everything       HTTPS, files, uploads and timers as well: see Everything
//   --tls OPTION       sets that option of the HTTPS endpoint of --everything
//   --folder PATH      serves this folder below /site, and watches it; /site/-/reload reads it again; with --sockets as the framework's
//                      static files
//   --memory-budget BYTES   of that folder
//   --reactors COUNT   1 by default; 0 leaves it to the transport
//   --port NUMBER      of the first endpoint; 0 by default
//   --sockets          without this package: the same application as stock Kestrel serves it
//   --shutdown-timeout SECONDS
//   --ioxide-check     as the last one: prints what the host offers, and serves nothing
//   --profile FILE     becomes the program that follows --, under this profile of a container; see ContainerProfile
//   --without CALL,... refuses calls that the profile allows; --with CALL,... allows others
// It prints "listening ADDRESS" for each endpoint once it serves, answers with what serves the request: io_uring, epoll or sockets.
// /sleep and /loop print "entered" and never return. It stops when its standard input ends, or on SIGTERM. Exit status: 0, or 1 where the
// host did not start.
using System.Globalization;
using Ioxide;
using Ioxide.AspNetCore;
using Ioxide.BlockedHost;
using Ioxide.Files;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

string? ValueOf(string option)
{
    int index = Array.IndexOf(args, option);
    return index >= 0 ? args[index + 1] : null;
}

if (ValueOf("--profile") is { } profile)
{
    (IReadOnlyList<CallRule> rules, uint otherwise) = ContainerProfile.Read(
        profile, ValueOf("--without")?.Split(',') ?? [], ValueOf("--with")?.Split(',') ?? []);
    SeccompFilter.AllowOnly(rules, otherwise);
    SocketActivation.Become(args[(Array.IndexOf(args, "--") + 1)..]);
}

if (args.Contains("--systemd"))
{
    SocketActivation.StartAgain([.. args.Where(arg => arg != "--systemd"), "--activated"]);
}

bool isStock = args.Contains("--sockets");
using Everything? everything = args.Contains("--everything") ? new Everything(isStock, ValueOf("--tls")) : null;
if (ValueOf("--refuse") is { } calls)
{
    int errno = int.Parse(ValueOf("--errno") ?? "1", CultureInfo.InvariantCulture);
    SeccompFilter.Refuse([.. calls.Split(',').Select(RefusedCall.Named)], errno);
}

try
{
    WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders().AddSimpleConsole(console => console.SingleLine = true);
    if (ValueOf("--shutdown-timeout") is { } seconds)
    {
        TimeSpan timeout = TimeSpan.FromSeconds(int.Parse(seconds, CultureInfo.InvariantCulture));
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = timeout);
    }

    if (!isStock)
    {
        builder.WebHost.UseIoxide(options =>
        {
            options.ReactorCount = int.Parse(ValueOf("--reactors") ?? "1", CultureInfo.InvariantCulture);
            options.RequireIoUring = args.Contains("--require");
            options.Kernel = ValueOf("--kernel") is { } choice ? Enum.Parse<KernelChoice>(choice) : options.Kernel;
        });
    }

    everything?.Add(builder);
    string? folder = ValueOf("--folder");
    if (folder is not null && !isStock)
    {
        builder.Services.AddIoxideFiles();
    }

    builder.WebHost.ConfigureKestrel(kestrel =>
    {
        if (args.Contains("--activated"))
        {
            kestrel.UseSystemd();
        }
        else
        {
            kestrel.Listen(System.Net.IPAddress.Loopback, int.Parse(ValueOf("--port") ?? "0", CultureInfo.InvariantCulture));
            everything?.Listen(kestrel);
        }
    });
    WebApplication app = builder.Build();
    if (!isStock)
    {
        app.MapIoxideDashboard();
    }

    everything?.Map(app);
    if (folder is not null && isStock)
    {
        // In front of routing, where the fallback would take the request.
        app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(folder), RequestPath = "/site" }).UseRouting();
    }
    else if (folder is not null)
    {
        app.MapIoxideFiles("/site", folder, options => options.MemoryBudget
            = ValueOf("--memory-budget") is { } bytes ? long.Parse(bytes, CultureInfo.InvariantCulture) : options.MemoryBudget);
        app.MapGet("/site/-/reload", static (IoxideFiles files) => files.ReloadAsync());
    }

    app.MapGet("/sleep", static (HttpContext _) =>
    {
        Console.WriteLine("entered");
        Thread.Sleep(Timeout.Infinite);
        return Task.CompletedTask;
    }).RunOnReactor();
    app.MapGet("/loop", static Task (HttpContext _) =>
    {
        Console.WriteLine("entered");
        while (true)
        {
        }
    }).RunOnReactor();
    app.MapFallback(context => context.Response.WriteAsync(context.Features.Get<IReactorFeature>()?.Reactor.Group.RunsOn switch
    {
        null => "sockets",
        KernelChoice.Epoll => "epoll",
        _ => "io_uring",
    }));
    if (app.RunIoxideCheckIfAsked(args))
    {
        return Environment.ExitCode;
    }

    await app.StartAsync();
    foreach (string url in app.Urls)
    {
        Console.WriteLine($"listening {url}");
    }

    _ = HostInput.EndAsync().ContinueWith(_ => app.Lifetime.StopApplication(), TaskScheduler.Default);
    await app.WaitForShutdownAsync();
    await app.DisposeAsync();
    return 0;
}
catch (Exception exception) when (exception is not OutOfMemoryException)
{
    await Console.Error.WriteLineAsync(exception.ToString());
    return 1;
}
