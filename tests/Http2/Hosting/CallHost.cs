using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>An application that the test configures as users do. It answers with who served the request.</summary>
internal sealed class CallHost : IAsyncDisposable
{
    private readonly LogCapture _logs = new();

    private CallHost(Action<WebApplicationBuilder> configure, IEnumerable<(string Key, string Value)> settings)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Configuration.AddInMemoryCollection(settings.Select(static pair => KeyValuePair.Create(pair.Key, (string?)pair.Value)));
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration();
        builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        configure(builder);
        App = builder.Build();
        App.Run(static context => context.Response.WriteAsync($"{context.Request.Protocol} by {ServerOf(context)}"));
    }

    internal WebApplication App { get; }

    internal ConcurrentQueue<LogLine> Logs => _logs.Lines;

    internal static async Task<CallHost> StartAsync(Action<WebApplicationBuilder> configure, params (string Key, string Value)[] settings)
    {
        CallHost host = new(configure, settings);
        try
        {
            await host.App.StartAsync().Within(20.Seconds());
            return host;
        }
        catch
        {
            await host.App.DisposeAsync();
            throw;
        }
    }

    /// <summary>Who serves a request, in its version, at one of the host's addresses.</summary>
    internal static async Task<string> AskAsync(string address, int version = 2)
    {
        using HttpClient client = new(new SocketsHttpHandler
        {
            UseProxy = false,
            SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
        })
        {
            DefaultRequestVersion = new Version(version, version == 2 ? 0 : 1),
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        return await client.GetStringAsync(address).Within(30.Seconds());
    }

    internal Task<string> AskAsync(int version = 2) => AskAsync(App.Urls.Single(), version);

    /// <summary>A certificate in a file, as configuration names one.</summary>
    internal static async Task WithCertificateFileAsync(Func<string, Task> use)
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("ioxide").FullName, "certificate.pfx");
        try
        {
            using X509Certificate2 certificate = CertificateMaker.SelfSigned();
            await File.WriteAllBytesAsync(file, certificate.Export(X509ContentType.Pfx));
            await use(file);
        }
        finally
        {
            Directory.Delete(Path.GetDirectoryName(file)!, recursive: true);
        }
    }

    /// <summary>A port of loopback that is free: Kestrel has no port 0 for localhost.</summary>
    internal static int FreePort()
    {
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    public async ValueTask DisposeAsync()
    {
        await App.StopAsync().Within(30.Seconds());
        await App.DisposeAsync().AsTask().Within(20.Seconds());
    }

    private static string ServerOf(HttpContext context)
        => context.Features.Get<IHttpResetFeature>()?.GetType().Assembly == typeof(Http2Connection).Assembly ? "the engine" : "Kestrel";
}
