// The entry of Ioxide for the board HttpArena: an ordinary application of ASP.NET Core, with the packages of Ioxide below it.
//   TLS_CERT, TLS_KEY    the certificate and its key as PEM; /certs/server.crt and /certs/server.key. Without the files there is no TLS
//   DATASET_PATH         the items of /json; /data/dataset.json
//   STATIC_PATH          the folder of /static; /data/static
//   DATABASE_URL         PostgreSQL, as a URI; without it there is no /async-db and no /crud
//   DATABASE_MAX_CONN    the most connections to it
//   Ports:NAME           Http 8080, Http1Tls 8081, Http2 8082 (clear text), Tls 8443
using System.Security.Cryptography.X509Certificates;
using Ioxide.Arena;
using Ioxide.Tls;
using Microsoft.AspNetCore.Server.Kestrel.Core;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
ConfigurationManager configuration = builder.Configuration;
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.UseIoxide().UseIoxideHttp2();

string certificateFile = configuration["TLS_CERT"] ?? "/certs/server.crt";
string keyFile = configuration["TLS_KEY"] ?? "/certs/server.key";
X509Certificate2? certificate = File.Exists(certificateFile) && File.Exists(keyFile)
    ? X509Certificate2.CreateFromPemFile(certificateFile, keyFile)
    : null;
builder.WebHost.ConfigureKestrel(kestrel =>
{
    Listen("Http", 8080, HttpProtocols.Http1, isTls: false);
    Listen("Http2", 8082, HttpProtocols.Http2, isTls: false);
    if (certificate is not null)
    {
        Listen("Http1Tls", 8081, HttpProtocols.Http1, isTls: true);
        Listen("Tls", 8443, HttpProtocols.Http1AndHttp2, isTls: true);
    }

    void Listen(string name, int port, HttpProtocols protocols, bool isTls)
        => kestrel.ListenAnyIP(configuration.GetValue($"Ports:{name}", port), listen =>
        {
            listen.Protocols = protocols;
            if (isTls)
            {
                listen.UseIoxideTls(https => https.ServerCertificate = certificate);
            }
        });
});

builder.Services.ConfigureHttpJsonOptions(static json => json.SerializerOptions.TypeInfoResolverChain.Insert(0, ArenaJson.Default));
builder.Services.AddResponseCompression();
builder.Services.AddMemoryCache();
builder.Services.AddGrpc();
string folder = configuration["STATIC_PATH"] ?? "/data/static";
bool hasFiles = Directory.Exists(folder);
if (hasFiles)
{
    builder.Services.AddIoxideFiles();
}

string? database = configuration["DATABASE_URL"];
if (database is not null)
{
    builder.Services.AddIoxidePg(database, pg => pg.MaxConnections = configuration.GetValue<int?>("DATABASE_MAX_CONN"));
}

WebApplication app = builder.Build();
app.UseResponseCompression();
app.UseWebSockets();
app.MapSums();
app.MapUpload();
app.MapCatalog(await Catalog.ReadAsync(configuration["DATASET_PATH"] ?? "/data/dataset.json"));
app.MapWebSocketEcho();
app.MapGrpcService<SumService>();
if (database is not null)
{
    app.MapItems();
}

if (hasFiles)
{
    // They have compressed siblings of their own.
    app.MapIoxideFiles("/static", folder).ShortCircuit();
}

await app.RunAsync();
