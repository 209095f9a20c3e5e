using System.Net;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.Files.Tests;

/// <summary>One application on two ports: one with the front door, one with the pipeline alone. Both must give the same answers.</summary>
internal sealed class BothDoors : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly LogCapture _logs;
    private readonly RawClient _front;
    private readonly RawClient _pipeline;

    private BothDoors(IHost host, LogCapture logs, RawClient front, RawClient pipeline)
    {
        _host = host;
        _logs = logs;
        _front = front;
        _pipeline = pipeline;
    }

    internal IoxideFiles Files => _host.Services.GetRequiredService<IoxideFiles>();

    internal long AtFrontDoor => Files.GetStatistics().Sum(static site => site.AtFrontDoor);

    /// <summary>What the front door has warned of.</summary>
    internal IEnumerable<string> Warnings => _logs.Lines
        .Where(static line => line.Level == LogLevel.Warning && line.Category == "Ioxide.Files").Select(static line => line.Message);

    /// <summary>A web application. No user is signed in, and what asks for one answers 401.</summary>
    internal static Task<BothDoors> StartAsync(
        Action<WebApplication> map, Action<WebApplicationBuilder>? configure = null, Func<WebApplicationBuilder>? create = null)
        => StartAsync((server, logs) =>
        {
            WebApplicationBuilder builder = create?.Invoke() ?? WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
            builder.WebHost.UseKestrelCore().ConfigureKestrel(server);
            builder.Services.AddRouting();
            AddServices(builder.Services, logs);
            configure?.Invoke(builder);
            WebApplication app = builder.Build();
            map(app);
            return app;
        });

    /// <summary>A host that is made of an application builder alone, as with a Startup class.</summary>
    internal static Task<BothDoors> StartClassicAsync(Action<IApplicationBuilder> configure)
        => StartAsync((server, logs) => new HostBuilder()
            .ConfigureWebHost(web => web.UseKestrel(server).ConfigureServices(services =>
            {
                services.AddRouting();
                AddServices(services, logs);
            }).Configure(configure))
            .Build());

    /// <summary>Asks both ports with GET and HEAD: status, fields and body are the same.</summary>
    /// <param name="target">The request target.</param>
    /// <param name="isAtDoor">Whether the front door is what answers.</param>
    /// <param name="host">The field.</param>
    /// <param name="headers">Whole lines.</param>
    /// <returns>The status of the GET.</returns>
    internal async Task<int> AssertSameAsync(string target, bool isAtDoor, string host = "localhost", string headers = "")
    {
        int status = 0;
        foreach (string method in new[] { "HEAD", "GET" })
        {
            string request = $"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n";
            RawResponse expected = await AskAsync(_pipeline, request);
            long before = AtFrontDoor;
            RawResponse actual = await AskAsync(_front, request);
            string name = $"{method} {target}";
            Assert.Equal((name, expected.Status, expected.Text), (name, actual.Status, actual.Text));
            Assert.Equal(Fields(expected), Fields(actual));
            bool wasAtDoor = AtFrontDoor > before;
            Assert.True(isAtDoor == wasAtDoor, $"{name}: at the front door {wasAtDoor}. {string.Join('\n', Warnings)}");
            status = actual.Status;
        }

        return status;
    }

    /// <summary>Waits until the front door answers a target, which it may do some time after a change.</summary>
    internal async Task UntilOpenAsync(string target)
    {
        using var patience = new CancellationTokenSource(60.Seconds());
        for (long before = AtFrontDoor; AtFrontDoor == before;)
        {
            patience.Token.ThrowIfCancellationRequested();
            await AskAsync(_front, RawClient.Get(target));
            await Task.Yield();
        }
    }

    /// <summary>Waits for a warning that names all the words.</summary>
    internal Task UntilWarnedAsync(params string[] words)
        => Waits.Eventually(
            () => Warnings.Any(line => words.All(word => line.Contains(word, StringComparison.Ordinal))),
            60.Seconds(),
            $"a warning with {string.Join(", ", words)}");

    public async ValueTask DisposeAsync()
    {
        _front.Dispose();
        _pipeline.Dispose();
        await _host.StopAsync().Within(60.Seconds());
        _host.Dispose();
    }

    private static async Task<BothDoors> StartAsync(Func<Action<KestrelServerOptions>, LogCapture, IHost> build)
    {
        List<ListenOptions> listens = [];
        LogCapture logs = new();
        IHost host = build(
            kestrel =>
            {
                kestrel.Listen(IPAddress.Loopback, 0, listen =>
                {
                    listens.Add(listen);
                    listen.UseIoxideFiles(bypassMiddleware: true);
                });
                kestrel.Listen(IPAddress.Loopback, 0, listens.Add);
            },
            logs);
        try
        {
            await host.StartAsync().Within(60.Seconds());
            return new BothDoors(
                host, logs, await RawClient.ConnectAsync(listens[0].EndPoint), await RawClient.ConnectAsync(listens[1].EndPoint));
        }
        catch
        {
            host.Dispose();
            throw;
        }
    }

    private static void AddServices(IServiceCollection services, LogCapture logs)
    {
        services.AddLogging(logging => logging.AddProvider(logs).SetMinimumLevel(LogLevel.Information));
        services.AddIoxideFiles();
        services.AddAuthentication("anonymous").AddScheme<AuthenticationSchemeOptions, Anonymous>("anonymous", null);
        services.AddAuthorization();
    }

    private static async Task<RawResponse> AskAsync(RawClient client, string request)
    {
        await client.SendAsync(request);
        return await client.ReadResponseAsync(isHead: request.StartsWith("HEAD", StringComparison.Ordinal));
    }

    private static SortedDictionary<string, string> Fields(RawResponse response)
        => new(response.Headers.Where(static field => field.Key != "Date").ToDictionary(), StringComparer.OrdinalIgnoreCase);
}
