using System.Net;
using System.Net.Http;
using Ioxide.AspNetCore;
using Ioxide.Files;
using Ioxide.Http2;
using Ioxide.Pg;
using Ioxide.Tls;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.LoadServer;

/// <summary>
/// Every package at once: TLS, HTTP/2 by the engine or HTTP/1.1 as the client offers it, files, PostgreSQL, and requests to a site of this process.
/// </summary>
/// <remarks>
/// <c>/files/K.bin</c> is a file with the bytes of the key K. <c>/row?key=K&amp;length=L</c> sends bytes to the database and answers with what
/// comes back, <c>/through?key=K&amp;length=L</c> answers with what the first site answers. Connections to others are as many as at the start.
/// </remarks>
internal sealed class PackagesSite : WebSite
{
    private static readonly PgStatement<byte[]> s_echo = PgStatement.Create<byte[]>("select $1::bytea"u8);

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-load-").FullName;
    private readonly HttpClient _client;

    internal PackagesSite(IConfiguration configuration, int reactorCount, IPEndPoint through) : base(configuration, reactorCount)
    {
        // One connection, for good: what a resting server holds is the same each time.
        var handler = new SocketsHttpHandler
        {
            MaxConnectionsPerServer = 1,
            PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan,
            PooledConnectionLifetime = Timeout.InfiniteTimeSpan,
        };
        _client = new HttpClient(handler.UseIoxide()) { BaseAddress = new Uri($"http://{through}") };
        for (int key = 0; key < PackageFiles.Count; key++)
        {
            byte[] bytes = new byte[PackageFiles.LengthOf(key)];
            Payload.Fill(bytes, key, 0);
            File.WriteAllBytes(Path.Combine(_folder, PackageFiles.NameOf(key)), bytes);
        }
    }

    internal override Task RestartAsync() => throw new NotSupportedException("It stays.");

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    protected override Task ListenAsync()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.Services.AddRouting().AddIoxideFiles().AddIoxideHttp2().AddIoxidePg(Configuration["database"]!, options =>
        {
            options.MinConnections = ReactorCount;
            options.MaxConnections = ReactorCount;
        });
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            foreach (IPEndPoint endPoint in EndPoints)
            {
                kestrel.Listen(endPoint, static listen =>
                {
                    listen.UseIoxideTls(static https => https.ServerCertificate = CertificateMaker.SelfSigned());
                    listen.UseIoxideHttp2();
                });
            }
        });
        WebApplication app = builder.Build();
        app.MapIoxideFiles("/files", _folder);
        app.MapGet("/row", RowAsync);
        app.MapGet("/through", ThroughAsync);
        return StartAsync(app);
    }

    private static async Task RowAsync(HttpContext context)
    {
        byte[] sent = new byte[(int)Endpoints.Number(context, "length")];
        Payload.Fill(sent, Endpoints.Number(context, "key"), 0);
        PgDataSource database = context.RequestServices.GetRequiredService<PgDataSource>();
        byte[] came = await database.Query(s_echo, sent).ScalarAsync<byte[]>(context.RequestAborted);
        context.Response.ContentLength = came.Length;
        await context.Response.BodyWriter.WriteAsync(came, context.RequestAborted);
    }

    private async Task ThroughAsync(HttpContext context)
    {
        using HttpResponseMessage response = await _client.GetAsync(
            new Uri($"/pattern{context.Request.QueryString}", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead, context.RequestAborted);
        response.EnsureSuccessStatusCode();
        context.Response.ContentLength = response.Content.Headers.ContentLength;
        await response.Content.CopyToAsync(context.Response.Body, context.RequestAborted);
    }
}
