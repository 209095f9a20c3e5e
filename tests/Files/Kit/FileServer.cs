using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files.Tests;

/// <summary>A web application that serves one folder, on loopback and port 0. On dispose it stops; errors in its log fail the test.</summary>
internal sealed class FileServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly LogCapture _logs = new();
    private readonly X509Certificate2? _certificate;
    private readonly bool _expectsErrors;
    private ListenOptions? _listen;

    private FileServer(FileServerSetup setup)
    {
        bool isRing = setup.Way != Way.Sockets;
        Assert.SkipUnless(!isRing || RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        _expectsErrors = setup.ExpectsErrors;
        _certificate = setup.IsHttps ? CertificateMaker.SelfSigned() : null;
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.Logging.AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = 5.Seconds());
        builder.Services.AddIoxideFiles();
        if (isRing)
        {
            builder.WebHost.UseIoxide(static options =>
            {
                options.ReactorCount = 2;
                options.Kernel = TestKernel.Choice;
            });
        }

        setup.Services?.Invoke(builder.Services);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            setup.Kestrel?.Invoke(kestrel);
            kestrel.Listen(IPAddress.Loopback, 0, listen => Configure(listen, setup));
        });
        _app = builder.Build();
        setup.BeforeRouting?.Invoke(_app);
        _app.UseRouting();
        setup.Before?.Invoke(_app);
        if (setup.Folder is { } folder)
        {
            IEndpointConventionBuilder files = _app.MapIoxideFiles(setup.Prefix, folder, options =>
            {
                options.WatchForChanges = false;
                setup.Options?.Invoke(options);
            });
            setup.Conventions?.Invoke(files);
            _ = setup.Way == Way.ShortCircuit ? files.ShortCircuit() : files;
        }

        setup.Endpoints?.Invoke(_app);
        _app.UseEndpoints(static _ => { });
        if (setup.After is { } after)
        {
            _app.Run(after);
        }
    }

    internal EndPoint EndPoint => _listen!.EndPoint;

    internal IReadOnlyCollection<LogLine> Logs => _logs.Lines;

    internal IServiceProvider Services => _app.Services;

    internal IoxideFiles Files => _app.Services.GetRequiredService<IoxideFiles>();

    internal IoxideFilesStatistics Statistics => Files.GetStatistics()[0];

    internal FileSite Site => _app.Services.GetRequiredService<FileSites>().All[0];

    internal static async Task<FileServer> StartAsync(FileServerSetup setup)
    {
        var server = new FileServer(setup);
        try
        {
            await server._app.StartAsync().Within(30.Seconds());
            return server;
        }
        catch
        {
            await server._app.DisposeAsync();
            throw;
        }
    }

    internal static Task<FileServer> StartAsync(Way way, TestFolder folder, Action<IoxideFilesOptions>? options = null)
        => StartAsync(new FileServerSetup { Way = way, Folder = folder.Path, Options = options });

    internal Task<RawClient> ConnectAsync(int receiveBufferBytes = 0) => RawClient.ConnectAsync(EndPoint, receiveBufferBytes);

    /// <summary>A client that neither decompresses nor follows redirects.</summary>
    internal HttpClient CreateClient(Version version)
        => HttpClients.Create(HttpClients.Handler(EndPoint), _certificate is not null, version, 30.Seconds());

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync().Within(30.Seconds());
        await _app.DisposeAsync().AsTask().Within(30.Seconds());
        _certificate?.Dispose();
        if (!_expectsErrors)
        {
            Assert.Empty(Logs.Where(static line => line.Level >= LogLevel.Error).Select(static line => $"{line.Message} {line.Exception}"));
        }
    }

    private void Configure(ListenOptions listen, FileServerSetup setup)
    {
        _listen = listen;
        if (setup.Protocols is { } protocols)
        {
            listen.Protocols = protocols;
        }

        if (_certificate is not null)
        {
            _ = setup.IsTlsOnRing ? listen.UseIoxideTls(_certificate) : listen.UseHttps(_certificate);
        }
    }
}
