using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls.Tests;

/// <summary>The same endpoints with TLS by Ioxide on one reactor or by stock Kestrel over sockets, and what the application saw at each.</summary>
internal sealed class CertificateHost : IAsyncDisposable
{
    internal const string EndOfAnswer = ", end of the answer";

    private readonly WebApplication _app;
    private readonly Dictionary<IPEndPoint, int> _indexes = [];
    private IPEndPoint[] _endPoints = [];

    private CertificateHost(IReadOnlyList<Action<ListenOptions, Sightings>> endPoints, bool isRing, Dictionary<string, string?>[] certificates)
    {
        Seen = [.. Enumerable.Range(0, endPoints.Count + certificates.Length).Select(static _ => new Sightings())];
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        for (int index = 0; index < certificates.Length; index++)
        {
            string key = $"Kestrel:Endpoints:{index}";
            builder.Configuration[$"{key}:Url"] = $"https://{Address(index)}:0";
            foreach ((string name, string? value) in certificates[index])
            {
                builder.Configuration[$"{key}:Certificate:{name}"] = value;
            }
        }

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
        _app.Run(context => AnswerAsync(context, Seen[_indexes[new IPEndPoint(context.Connection.LocalIpAddress!, context.Connection.LocalPort)]]));
    }

    /// <summary>In the order of the endpoints, those of the configuration last.</summary>
    internal IReadOnlyList<Sightings> Seen { get; }

    /// <param name="endPoints">What they are made with.</param>
    /// <param name="isRing">By Ioxide, else by stock.</param>
    /// <param name="certificates">Sections of the configuration, each of which is one more endpoint.</param>
    internal static async Task<CertificateHost> StartAsync(
        IReadOnlyList<Action<ListenOptions, Sightings>> endPoints, bool isRing, params Dictionary<string, string?>[] certificates)
    {
        CertificateHost host = new(endPoints, isRing, certificates);
        await host._app.StartAsync().Within(Patience.Limit);
        IPEndPoint[] bound = [.. host._app.Urls.Select(static url => IPEndPoint.Parse(new Uri(url).Authority))];
        host._endPoints =
        [
            .. bound.Where(static endPoint => endPoint.Address.Equals(IPAddress.Loopback)),
            .. certificates.Select((_, index) => bound.Single(endPoint => endPoint.Address.Equals(Address(index)))),
        ];
        Assert.Equal(host.Seen.Count, host._endPoints.Length);
        for (int index = 0; index < host._endPoints.Length; index++)
        {
            // Addresses may have the same port.
            host._indexes.Add(host._endPoints[index], index);
        }

        return host;
    }

    internal IPEndPoint EndPointOf(int index) => _endPoints[index];

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync().Within(Patience.Limit);
        await _app.DisposeAsync().AsTask().Within(Patience.Limit);
    }

    /// <summary>Endpoints of the configuration are known by their address.</summary>
    private static IPAddress Address(int index) => new([127, 0, 0, (byte)(index + 2)]);

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
