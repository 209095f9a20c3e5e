using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A web application on one transport, bound to loopback on port 0 or to a new path. On dispose it stops, and checks
/// that each connection came over the transport that was asked for and that nothing was logged as an error.
/// </summary>
internal sealed class TestServer : IAsyncDisposable
{
    private readonly ServerSetup _setup;
    private readonly WebApplication _app;
    private readonly LogCapture _logs;
    private readonly List<ListenOptions> _listens = [];
    private bool _stopped;

    private TestServer(ServerSetup setup)
    {
        Assert.SkipUnless(setup.EndPoint != EndPointKind.IPv6 || Socket.OSSupportsIPv6, "This host has no IPv6.");
        _setup = setup;
        _logs = new LogCapture();
        WebApplicationBuilder builder = TransportSetup.CreateBuilder();
        builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = 20.Seconds());
        TransportSetup.Apply(builder.WebHost, setup.Transport, setup.Ioxide);
        builder.WebHost.ConfigureKestrel(Configure);
        setup.Builder?.Invoke(builder);
        _app = builder.Build();
        setup.Map?.Invoke(_app);
        if (setup.Handler is { } handler)
        {
            _app.Run(handler);
        }
    }

    /// <summary>Where the first endpoint is really bound.</summary>
    internal EndPoint EndPoint => _listens[0].EndPoint;

    /// <summary>Where each endpoint is really bound, in the order in which they were configured.</summary>
    internal IReadOnlyList<EndPoint> EndPoints => [.. _listens.Select(listen => listen.EndPoint)];

    internal IReadOnlyCollection<LogLine> Logs => _logs.Lines;

    /// <summary>Each connection so far, added before the rest of its pipeline runs.</summary>
    internal ConcurrentQueue<SeenConnection> Connections { get; } = new();

    internal IServiceProvider Services => _app.Services;

    internal IHostApplicationLifetime Lifetime => _app.Lifetime;

    /// <summary>One with a handler; without it, it answers with the path.</summary>
    internal static Task<TestServer> StartAsync(
        TransportKind transport, EndPointKind endPoint, RequestDelegate? handler = null, bool expectsErrors = false)
        => StartAsync(new ServerSetup(transport, endPoint) { Handler = handler ?? Handlers.PathAsync, ExpectsErrors = expectsErrors });

    internal static Task<TestServer> StartAsync(TransportKind transport, RequestDelegate handler) => StartAsync(transport, EndPointKind.IPv4, handler);

    internal static async Task<TestServer> StartAsync(ServerSetup setup)
    {
        TestServer server = new(setup);
        try
        {
            await server._app.StartAsync().Within(20.Seconds());
            return server;
        }
        catch
        {
            await server._app.DisposeAsync();
            throw;
        }
    }

    internal static string NewSocketPath() => Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}.sock");

    internal Task<RawClient> ConnectAsync() => RawClient.ConnectAsync(EndPoint);

    /// <summary>A client whose connections all go to the first endpoint.</summary>
    internal HttpClient CreateClient(Version? version = null, bool isHttps = false)
        => HttpClients.Create(CreateHandler(), isHttps, version, 20.Seconds());

    internal SocketsHttpHandler CreateHandler() => HttpClients.Handler(EndPoint);

    internal Task StopAsync() => StopAsync(CancellationToken.None).Within(20.Seconds());

    /// <summary>Stops, without a bound.</summary>
    /// <param name="hurry">Ends the server's patience with what is still open.</param>
    internal Task StopAsync(CancellationToken hurry)
    {
        _stopped = true;
        return _app.StopAsync(hurry);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_stopped)
        {
            await StopAsync();
        }

        await _app.DisposeAsync().Within(20.Seconds());
        bool isIoxide = _setup.Transport == TransportKind.Ioxide;
        Assert.All(Connections, connection => Assert.Equal(isIoxide, connection.HasReactor));
        if (!_setup.ExpectsErrors)
        {
            Assert.DoesNotContain(Logs, line => line.Level >= LogLevel.Error);
        }
    }

    private void Configure(KestrelServerOptions kestrel)
    {
        kestrel.ConfigureEndpointDefaults(listen =>
        {
            _listens.Add(listen);
            listen.Use(next => connection => RecordAsync(connection, next));
        });
        _setup.Kestrel?.Invoke(kestrel);
        Action<ListenOptions> configure = _setup.Listen ?? (static _ => { });
        if (_setup.Bind is { } bind)
        {
            bind(kestrel);
        }
        else if (_setup.EndPoint == EndPointKind.Unix)
        {
            kestrel.ListenUnixSocket(NewSocketPath(), configure);
        }
        else
        {
            kestrel.Listen(_setup.EndPoint == EndPointKind.IPv4 ? IPAddress.Loopback : IPAddress.IPv6Loopback, 0, configure);
        }
    }

    private Task RecordAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        Connections.Enqueue(new(
            connection.ConnectionId,
            connection.Features.Get<IReactorFeature>() is not null,
            [.. connection.Features.Select(feature => feature.Key)],
            connection.LocalEndPoint, connection.RemoteEndPoint));
        return next(connection);
    }
}
