using System.Net;
using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Ioxide.BadNetworkHost;

/// <summary>The application on one side: HTTP/1.1, the same over TLS, and HTTP/2 in clear text.</summary>
internal sealed class Servers : IAsyncDisposable
{
    /// <summary>How <see cref="Held"/> begins where no peer is there.</summary>
    internal const string NoPeers = "0 connections, 0 requests, 0 on reactors";

    /// <summary>Bytes per second. Each byte that went well is credit: with a low rate it would last for minutes.</summary>
    private const double HighRate = 20_000_000;

    private static readonly TimeSpan s_short = TimeSpan.FromSeconds(1);

    private readonly WebApplication _app;
    private readonly List<ListenOptions> _listens = [];
    private readonly X509Certificate2 _certificate = CertificateMaker.SelfSigned();
    private readonly HostSetup _setup;
    private int _connections;

    private Servers(HostSetup setup)
    {
        _setup = setup;

        // Nothing that watches files, and no log: what handlers saw is the outcome.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = s_short);
        if (setup.Side == Side.Ioxide)
        {
            builder.WebHost.UseIoxide(options => (options.ReactorCount, options.Kernel) = (2, TestKernel.Choice));
            builder.Services.AddIoxideHttp2();
        }

        builder.WebHost.ConfigureKestrel(Configure);
        _app = builder.Build();
        _app.Run(Handlers.ServeAsync);
    }

    internal Handlers Handlers { get; } = new();

    /// <summary>Where it listens, in the order HTTP/1.1, TLS, HTTP/2.</summary>
    internal IEnumerable<EndPoint> EndPoints => _listens.Select(static listen => listen.EndPoint);

    /// <summary>The reactors; null on the stock side.</summary>
    internal ReactorGroup? Group => _app.Services.GetService<IReactorGroupSource>()?.GetReactors();

    /// <summary>What must be the same whenever no peer is there.</summary>
    internal string Held
    {
        get
        {
            ReactorSnapshot[] snapshots = [.. Group?.Reactors.Select(static reactor => reactor.Snapshot()) ?? []];
            return $"{Volatile.Read(ref _connections)} connections, {Handlers.Running} requests, "
                + $"{snapshots.Sum(static reactor => reactor.Connections)} on reactors, "
                + $"{snapshots.Sum(static reactor => reactor.OperationsInFlight)} operations, "
                + $"{snapshots.Sum(static reactor => reactor.BuffersTaken)} buffers";
        }
    }

    internal static async Task<Servers> StartAsync(HostSetup setup)
    {
        var servers = new Servers(setup);
        await servers._app.StartAsync();
        return servers;
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        _certificate.Dispose();
    }

    private void Configure(KestrelServerOptions kestrel)
    {
        if (_setup.IsImpatient)
        {
            kestrel.Limits.KeepAliveTimeout = s_short;
            kestrel.Limits.RequestHeadersTimeout = s_short;
            kestrel.Limits.MinRequestBodyDataRate = new MinDataRate(HighRate, gracePeriod: 2 * s_short);
            kestrel.Limits.MinResponseDataRate = new MinDataRate(HighRate, gracePeriod: 2 * s_short);
            kestrel.Limits.Http2.KeepAlivePingDelay = s_short;
            kestrel.Limits.Http2.KeepAlivePingTimeout = s_short;
        }
        else
        {
            // A peer on a bad network may be slow for a while.
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
        }

        Listen(kestrel, HttpProtocols.Http1, static _ => { });
        if (_setup.Address is not IPEndPoint)
        {
            return;
        }

        bool isIoxide = _setup.Side == Side.Ioxide;
        Listen(kestrel, HttpProtocols.Http1, listen => _ = isIoxide ? listen.UseIoxideTls(_certificate) : listen.UseHttps(_certificate));
        Listen(kestrel, HttpProtocols.Http2, listen => _ = isIoxide ? listen.UseIoxideHttp2() : listen);
    }

    private void Listen(KestrelServerOptions kestrel, HttpProtocols protocols, Action<ListenOptions> configure)
    {
        Action<ListenOptions> all = listen =>
        {
            _listens.Add(listen);
            listen.Protocols = protocols;
            listen.Use(next => connection => CountAsync(connection, next));
            configure(listen);
        };
        if (_setup.Address is IPEndPoint address)
        {
            kestrel.Listen(address, all);
        }
        else
        {
            kestrel.ListenUnixSocket(_setup.Address.ToString()!, all); // A path.
        }
    }

    private async Task CountAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        Interlocked.Increment(ref _connections);
        try
        {
            await next(connection);
        }
        finally
        {
            Interlocked.Decrement(ref _connections);
        }
    }
}
