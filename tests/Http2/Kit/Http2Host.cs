using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>An application on the engine, or the same on stock Kestrel, bound to loopback.</summary>
internal sealed class Http2Host : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly LogCapture _logs = new();
    private readonly bool _expectsErrors;
    private ListenOptions? _listen;

    private Http2Host(Http2Setup setup)
    {
        _expectsErrors = setup.ExpectsErrors;
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.Services.AddRouting();
        setup.Services?.Invoke(builder.Services);
        builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = 20.Seconds());
        if (setup.IsEngine || setup.IsTransport)
        {
            builder.WebHost.UseIoxide(options =>
            {
                options.ReactorCount = setup.ReactorCount;
                setup.Transport?.Invoke(options);
            });
        }

        if (setup.IsEngine)
        {
            builder.Services.AddIoxideHttp2();
        }

        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            setup.Kestrel?.Invoke(kestrel);
            kestrel.Listen(IPAddress.Loopback, 0, listen =>
            {
                listen.Protocols = setup.Protocols;
                _listen = listen;
                setup.Listen?.Invoke(listen);
                if (setup.IsEngine)
                {
                    listen.UseIoxideHttp2();
                }
            });
        });
        _app = builder.Build();
        setup.Map?.Invoke(_app);
        if (setup.Handler is { } handler)
        {
            _app.Run(handler);
        }
    }

    internal IPEndPoint EndPoint => (IPEndPoint)_listen!.EndPoint;

    internal ConcurrentQueue<LogLine> Logs => _logs.Lines;

    internal IServiceProvider Services => _app.Services;

    internal static Task<Http2Host> StartAsync(RequestDelegate handler) => StartAsync(new Http2Setup { Handler = handler });

    internal static Task<Http2Host> StartAsync(bool isEngine, RequestDelegate handler, bool expectsErrors = false)
        => StartAsync(new Http2Setup { IsEngine = isEngine, Handler = handler, ExpectsErrors = expectsErrors });

    internal static Task<Http2Host> StartAsync(Action<KestrelServerOptions> kestrel, RequestDelegate handler, bool isEngine = true)
        => StartAsync(new Http2Setup { IsEngine = isEngine, Handler = handler, Kestrel = kestrel });

    internal static async Task<Http2Host> StartAsync(Http2Setup setup)
    {
        Http2Host host = new(setup);
        await host._app.StartAsync().Within(20.Seconds());
        return host;
    }

    internal Task<FrameClient> ConnectAsync(params (ushort Id, uint Value)[] settings) => FrameClient.ConnectAsync(EndPoint, settings);

    internal HttpClient CreateClient(bool isHttps = false)
        => new(new SocketsHttpHandler
        {
            UseProxy = false,
            EnableMultipleHttp2Connections = false,
            SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
        })
        {
            BaseAddress = new Uri($"{(isHttps ? "https" : "http")}://127.0.0.1:{EndPoint.Port}/"),
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = TimeSpan.FromMinutes(1),
        };

    internal Task StopAsync() => _app.StopAsync().Within(30.Seconds());

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await _app.DisposeAsync().AsTask().Within(20.Seconds());
        if (!_expectsErrors)
        {
            Assert.DoesNotContain(Logs, line => line.Level >= LogLevel.Error);
        }
    }
}
