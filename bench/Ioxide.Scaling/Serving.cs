using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Scaling;

/// <summary>The server: Kestrel on its own sockets, or on Ioxide. Both have the same endpoint, and else what they come with.</summary>
internal static class Serving
{
    private const string Stock = "stock";
    private const string Ring = "ioxide";

    private static readonly byte[] s_text = "Hello, World!"u8.ToArray();

    internal static async Task<int> RunAsync(Arguments arguments)
    {
        string server = arguments.Text("server");
        int port = arguments.Number("port");
        await using WebApplication app = Build(server, port, arguments.Number("reactors", 0));
        await app.StartAsync();
        Console.WriteLine($"ready server={server} port={port} pid={Environment.ProcessId}");
        await app.WaitForShutdownAsync();
        return 0;
    }

    /// <summary>Whether this host allows rings.</summary>
    internal static int Check(string[] arguments)
    {
        using WebApplication app = Build(Ring, port: 0, reactorCount: 1);
        _ = app.RunIoxideCheckIfAsked(arguments);
        return Environment.ExitCode;
    }

    private static WebApplication Build(string server, int port, int reactorCount)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ListenLocalhostOf(port));
        switch (server)
        {
            case Stock:
                break;
            case Ring:
                // Without rings it does not start: a figure of epoll's under that name would be wrong.
                builder.WebHost.UseIoxide(options =>
                {
                    options.Kernel = KernelChoice.IoUring;
                    options.ReactorCount = reactorCount;
                });
                break;
            default:
                throw new ArgumentException($"No server is called '{server}'.");
        }

        WebApplication app = builder.Build();
        app.MapGet("/fixed", static (HttpContext context) =>
        {
            context.Response.ContentType = "text/plain";
            context.Response.ContentLength = s_text.Length;
            return context.Response.Body.WriteAsync(s_text).AsTask();
        });
        return app;
    }

    private static void ListenLocalhostOf(this KestrelServerOptions kestrel, int port)
        => kestrel.Listen(System.Net.IPAddress.Loopback, port, static listen => listen.Protocols = HttpProtocols.Http1);
}
