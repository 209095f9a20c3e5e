using System.Net;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls.Tests;

/// <summary>Kestrel on two reactors with one endpoint on a free loopback port, and what it logged.</summary>
internal sealed class HttpsServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly LogCapture _logs = new();

    private HttpsServer(
        Action<ListenOptions>? listen, Action<IWebHostBuilder>? host, Dictionary<string, string?>? configuration, bool hasRings,
        Action<WebApplication>? map)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        builder.Configuration.AddInMemoryCollection(configuration);
        if (hasRings)
        {
            builder.WebHost.UseIoxide(options => options.ReactorCount = 2);
        }

        host?.Invoke(builder.WebHost);
        builder.WebHost.UseKestrelHttpsConfiguration();
        if (listen is not null)
        {
            builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen));
        }

        _app = builder.Build();
        _app.MapPost("/echo", Handlers.EchoAsync);
        _app.MapGet("/bytes/{count:int}", (int count) => Results.Bytes(Payload.Of(count)));
        _app.MapGet("/referenced/{count:int}", WriteReferencedAsync);
        _app.MapGet("/tls", (HttpContext context) => Describe(context));
        map?.Invoke(_app);
    }

    /// <summary>Bodies that went out without a copy of the plain bytes. One request at a time, please.</summary>
    internal int ReferencedBodies { get; private set; }

    internal IReadOnlyCollection<string> Lines => [.. _logs.Lines.Select(static line => $"{line.Level}: {line.Message} {line.Exception}")];

    internal IServiceProvider Services => _app.Services;

    internal IPEndPoint EndPoint => new(IPAddress.Loopback, new Uri(_app.Urls.First()).Port);

    internal static async Task<HttpsServer> StartAsync(
        Action<ListenOptions>? listen = null, Action<IWebHostBuilder>? host = null, Dictionary<string, string?>? configuration = null,
        bool hasRings = true, Action<WebApplication>? map = null)
    {
        HttpsServer server = new(listen, host, configuration, hasRings, map);
        await server._app.StartAsync().Within(Patience.Limit);
        return server;
    }

    /// <summary>A client that trusts the test authority alone.</summary>
    internal HttpClient CreateClient(Version? version = null, Action<SocketsHttpHandler>? configure = null)
    {
        SocketsHttpHandler handler = HttpClients.Handler(EndPoint);
        handler.SslOptions = SslClient.Options();
        configure?.Invoke(handler);
        return HttpClients.Create(handler, isHttps: true, version, Patience.Limit);
    }

    internal Task StopAsync() => _app.StopAsync().Within(Patience.Limit);

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await _app.DisposeAsync().AsTask().Within(Patience.Limit);
    }

    /// <summary>A body that is handed over as it lies, and written where that is refused.</summary>
    private async Task WriteReferencedAsync(HttpContext context, int count)
    {
        byte[] body = Payload.Of(count);
        context.Response.ContentLength = count;
        await context.Response.StartAsync();
        if (context.Features.Get<IBodyReferenceFeature>()!.TryWrite(context.Response.BodyWriter, body))
        {
            ReferencedBodies++;
            await context.Response.BodyWriter.FlushAsync();
        }
        else
        {
            await context.Response.BodyWriter.WriteAsync(body);
        }
    }

    private static Dictionary<string, string?> Describe(HttpContext context)
    {
        ITlsHandshakeFeature? handshake = context.Features.Get<ITlsHandshakeFeature>();
        return new()
        {
            ["scheme"] = context.Request.Scheme,
            ["protocol"] = context.Request.Protocol,
            ["version"] = handshake?.Protocol.ToString(),
            ["suite"] = handshake?.NegotiatedCipherSuite?.ToString(),
            ["host"] = handshake?.HostName,
            ["onRing"] = (context.Features.Get<IIoxideTlsFeature>() is not null).ToString(),
            ["resumed"] = context.Features.Get<IIoxideTlsFeature>()?.Session.Info.IsResumed.ToString(),
            ["client"] = context.Connection.ClientCertificate?.Subject,
        };
    }
}
