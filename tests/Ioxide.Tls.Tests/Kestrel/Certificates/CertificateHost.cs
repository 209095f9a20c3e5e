using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls.Tests;

/// <summary>The same end points with TLS by Ioxide on one reactor or by stock Kestrel over sockets, and what the application saw at each.</summary>
internal sealed class CertificateHost : IAsyncDisposable
{
    internal const string EndOfAnswer = ", end of the answer";

    private readonly WebApplication _app;
    private readonly Dictionary<int, int> _indexes = [];
    private IPEndPoint[] _endPoints = [];

    private CertificateHost(IReadOnlyList<Action<ListenOptions, Sightings>> endPoints, bool isRing)
    {
        Seen = [.. endPoints.Select(static _ => new Sightings())];
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        if (isRing)
        {
            builder.WebHost.UseIoxide(static options => options.ReactorCount = 1).UseIoxideTlsForHttps();
        }

        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            for (int index = 0; index < endPoints.Count; index++)
            {
                int at = index;
                kestrel.Listen(IPAddress.Loopback, 0, listen =>
                {
                    endPoints[at](listen, Seen[at]);
                    listen.Use(next => connection => Seen[at].FollowAsync(connection, next));
                });
            }
        });
        _app = builder.Build();
        _app.Run(context => AnswerAsync(context, Seen[_indexes[context.Connection.LocalPort]]));
    }

    /// <summary>In the order of the end points.</summary>
    internal IReadOnlyList<Sightings> Seen { get; }

    internal static async Task<CertificateHost> StartAsync(IReadOnlyList<Action<ListenOptions, Sightings>> endPoints, bool isRing)
    {
        CertificateHost host = new(endPoints, isRing);
        await host._app.StartAsync().Within(Patience.Limit);
        host._endPoints = [.. host._app.Urls.Select(static url => new IPEndPoint(IPAddress.Loopback, new Uri(url).Port))];
        Assert.Equal(endPoints.Count, host._endPoints.Length);
        for (int index = 0; index < endPoints.Count; index++)
        {
            host._indexes.Add(host._endPoints[index].Port, index);
        }

        return host;
    }

    internal IPEndPoint EndPointOf(int index) => _endPoints[index];

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync().Within(Patience.Limit);
        await _app.DisposeAsync().AsTask().Within(Patience.Limit);
    }

    /// <summary>Reads the client's certificate in each of the ways that there are, before and after the body.</summary>
    private static async Task AnswerAsync(HttpContext context, Sightings seen)
    {
        seen.Add($"{context.Request.Protocol} {context.Request.Method}, first '{context.Connection.ClientCertificate?.Subject}'");
        seen.AddKept();
        for (int number = 0; number < 2; number++)
        {
            try
            {
                seen.Add($"got '{(await context.Connection.GetClientCertificateAsync())?.Subject}'");
            }
            catch (Exception exception)
            {
                seen.Add($"got {exception.GetType().Name}");
            }

            using StreamReader body = new(context.Request.Body);
            _ = await body.ReadToEndAsync();
        }

        seen.Add($"then '{context.Connection.ClientCertificate?.Subject}'");
        await context.Response.WriteAsync(context.Features.Get<IIoxideTlsFeature>() is null
            ? $"{CertificateAnswer.BySslStream}{EndOfAnswer}"
            : $"{CertificateAnswer.OnRing}{EndOfAnswer}");
    }
}
