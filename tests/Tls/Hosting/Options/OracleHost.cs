using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls.Tests;

/// <summary>A host with an endpoint for each set of options, whose application writes what it sees of a connection and closes.</summary>
internal sealed class OracleHost : IAsyncDisposable
{
    private readonly WebApplication _app;

    private OracleHost(WebApplication app) => _app = app;

    /// <summary>In the order of the options.</summary>
    internal IReadOnlyList<IPEndPoint> EndPoints { get; private set; } = [];

    internal static async Task<OracleHost> StartAsync(IReadOnlyList<OracleSetup> setups, Action<OracleSetup, ListenOptions> use, bool hasRings)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        if (hasRings)
        {
            builder.WebHost.UseIoxide(static options => options.ReactorCount = 2);
        }

        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            foreach (OracleSetup setup in setups)
            {
                kestrel.Listen(IPAddress.Loopback, 0, listen =>
                {
                    use(setup, listen);
                    listen.Use(_ => connection => AnswerAsync(connection, hasRings));
                });
            }
        });
        OracleHost host = new(builder.Build());
        await host._app.StartAsync().Within(Patience.Limit);
        host.EndPoints = [.. host._app.Urls.Select(static url => new IPEndPoint(IPAddress.Loopback, new Uri(url).Port))];
        Assert.Equal(setups.Count, host.EndPoints.Count);
        return host;
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync().Within(Patience.Limit);
        await _app.DisposeAsync().AsTask().Within(Patience.Limit);
    }

    private static async Task AnswerAsync(ConnectionContext connection, bool isRing)
    {
        Assert.Equal(isRing, connection.Features.Get<IIoxideTlsFeature>() is not null);
        ITlsHandshakeFeature handshake = connection.Features.Get<ITlsHandshakeFeature>()!;
        string protocol = Encoding.ASCII.GetString(connection.Features.Get<ITlsApplicationProtocolFeature>()!.ApplicationProtocol.Span);
        string seen = $"{handshake.Protocol}, {handshake.NegotiatedCipherSuite}, protocol '{protocol}', name '{handshake.HostName}', "
            + $"client '{connection.Features.Get<ITlsConnectionFeature>()!.ClientCertificate?.Subject}'";
        await connection.Transport.Output.WriteAsync(Encoding.UTF8.GetBytes(seen));
        await connection.Transport.Output.CompleteAsync();
    }
}
