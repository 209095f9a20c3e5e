using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Blocking;

/// <summary>One application on either side, over HTTP/1.1 or HTTP/2 in clear text, whose endpoints block in every way that applications know.</summary>
internal sealed class BlockingServer : IAsyncDisposable
{
    private static readonly byte[] s_piece = new byte[1000];

    private readonly WebApplication _app;
    private readonly object _lock = new();
    private readonly SemaphoreSlim _semaphore = new(1);

    private int _rareCalls;

    private BlockingServer(string transport, bool http2)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AllowSynchronousIO = true;
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = http2 ? HttpProtocols.Http2 : HttpProtocols.Http1);
        });
        if (transport == "ioxide")
        {
            if (http2)
            {
                builder.WebHost.UseIoxideHttp2();
            }

            builder.WebHost.UseIoxide(options =>
            {
                options.ReactorCount = 2;
                options.RequireIoUring = true;
            });
        }

        _app = builder.Build();
        Map();
    }

    internal HttpClient Client { get; } = new(new SocketsHttpHandler { UseProxy = false }) { Timeout = TimeSpan.FromMinutes(2) };

    /// <summary>Makes <c>/turns</c> slow from now on.</summary>
    internal bool Sleeps { get; set; }

    internal static async Task<BlockingServer> StartAsync(string transport, bool http2 = false)
    {
        var server = new BlockingServer(transport, http2);
        await server._app.StartAsync();
        server.Client.BaseAddress = new Uri(server._app.Urls.First());
        return server;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        using var hurry = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        await _app.StopAsync(hurry.Token);
        await _app.DisposeAsync();
        _semaphore.Dispose();
    }

    private void Map()
    {
        _app.MapGet("/ok", static () => "ok");
        _app.MapGet("/result", static () => HelperAsync(50).Result);
        _app.MapGet("/getresult", static () => HelperAsync(50).GetAwaiter().GetResult());
        _app.MapGet("/lock", () =>
        {
            lock (_lock)
            {
                return HelperAsync(5).Result;
            }
        });
        _app.MapGet("/semaphore", () =>
        {
            _semaphore.Wait();
            string text = HelperAsync(5).Result;
            _semaphore.Release();
            return text;
        });
        _app.MapGet("/self", () => Client.GetStringAsync(new Uri("/ok", UriKind.Relative)).Result);
        _app.MapGet("/write", static (HttpContext context) =>
        {
            for (int i = 0; i < 2000; i++)
            {
                context.Response.Body.Write(s_piece);
            }
        });
        _app.MapPost("/read", static (HttpContext context) =>
        {
            using var reader = new StreamReader(context.Request.Body, Encoding.Latin1);
            return reader.ReadToEnd().Length.ToString(CultureInfo.InvariantCulture);
        });
        _app.MapGet("/block", static () => HelperAsync(5000).Result);
        _app.MapGet("/sleep", static () =>
        {
            Thread.Sleep(1500);
            return "slept";
        });
        _app.MapGet("/loop", static () =>
        {
            Compute(TimeSpan.FromSeconds(1.5));
            return "looped";
        });
        _app.MapGet("/rare", () =>
        {
            if (Interlocked.Increment(ref _rareCalls) % 100 == 0)
            {
                Compute(TimeSpan.FromSeconds(2));
            }

            return "ok";
        });
        _app.MapGet("/turns", () =>
        {
            if (Sleeps)
            {
                Thread.Sleep(1500);
            }

            return "turned";
        });
    }

    private static void Compute(TimeSpan duration)
    {
        long started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < duration)
        {
        }
    }

    private static async Task<string> HelperAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return "helped";
    }
}
