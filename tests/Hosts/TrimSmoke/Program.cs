using System.Net;
using Ioxide.Files;
using Ioxide.Http2;
using Ioxide.TestKit;
using Ioxide.Tls;
using Ioxide.TrimSmoke;
using Microsoft.AspNetCore.Http.Features;

// A host that is published trimmed, or compiled natively: it serves itself requests to files, over TLS, over HTTP/2 and to a database, and ends with 0.
// With --serve it then serves others until it is asked to end.
PrivatePostgres? postgres = PrivatePostgres.Missing is null ? await PrivatePostgres.StartAsync() : null;
await using PrivatePostgres? untilTheEnd = postgres;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);

// A line per request would hide what is checked.
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.UseIoxide(static options => options.RequireIoUring = true);
builder.WebHost.UseIoxideHttp2();
builder.WebHost.ConfigureKestrel(static kestrel =>
{
    kestrel.Listen(IPAddress.Loopback, 0);
    kestrel.Listen(IPAddress.Loopback, 0, static listen => listen.UseIoxideTls(static https => https.ServerCertificate = CertificateMaker.SelfSigned()));
});
builder.Services.AddIoxideFiles();
if (postgres is not null)
{
    builder.Services.AddIoxidePg(postgres.ConnectionString);
}

builder.Services.AddHealthChecks().AddIoxide();
await using WebApplication app = builder.Build();
app.MapGet("/hello", static (HttpContext context) => context.Response.WriteAsync("hello"));
app.MapGet("/connection", static (HttpContext context) => context.Response.WriteAsync(
    $"{context.Request.Protocol} of {context.Features.Get<IHttpResetFeature>()?.GetType().Assembly.GetName().Name}, "
        + $"{(context.Features.Get<IIoxideTlsFeature>() is null ? "SslStream" : "TLS of the ring")}"));
app.MapHealthChecks("/health");
app.MapIoxideDashboard();
app.MapDatabase();
DirectoryInfo site = Directory.CreateTempSubdirectory("ioxide-smoke-");
File.WriteAllText(Path.Combine(site.FullName, "page.txt"), "a page");
app.MapIoxideFiles("/site", site.FullName);
await app.StartAsync();

using var client = new HttpClient { BaseAddress = new Uri(app.Urls.Single(static url => url.StartsWith("http:", StringComparison.Ordinal))) };
List<(string Path, string Expected)> requests = [("/hello", "hello"), ("/health", "Healthy"), ("/site/page.txt", "a page")];
if (postgres is not null)
{
    requests.AddRange(DatabaseEndpoints.Expected);
}
else
{
    Console.WriteLine($"skipped: no request to a database, for {PrivatePostgres.Missing}");
}

int failed = 0;
foreach ((string path, string expected) in requests)
{
    Check(path, expected, await client.GetStringAsync(path));
}

// By TLS and HTTP/2 of the packages, each of which says that it was there.
using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" };
using var secured = new HttpClient(handler)
{
    BaseAddress = new Uri(app.Urls.Single(static url => url.StartsWith("https:", StringComparison.Ordinal))),
    DefaultRequestVersion = HttpVersion.Version20,
    DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
};
Check("/connection over TLS", "HTTP/2 of Ioxide.Http2, TLS of the ring", await secured.GetStringAsync("/connection"));
Check("/site/page.txt over TLS", "a page", await secured.GetStringAsync("/site/page.txt"));

using (var events = new StreamReader(await client.GetStreamAsync("/ioxide/events")))
{
    await events.ReadLineAsync();
    string data = await events.ReadLineAsync() ?? "";
    bool isRight = data.StartsWith("data: {", StringComparison.Ordinal) && data.Contains("\"reactors\":[{", StringComparison.Ordinal);
    failed += isRight ? 0 : 1;
    Console.WriteLine(isRight ? "ok: /ioxide/events" : $"FAILED: /ioxide/events: '{data}'");
}

if (failed == 0 && args.Contains("--serve"))
{
    Console.WriteLine($"Now listening on: {client.BaseAddress}");
    await app.WaitForShutdownAsync();
}

await app.StopAsync();
site.Delete(recursive: true);
return failed == 0 ? 0 : 1;

void Check(string path, string expected, string answer)
{
    bool isRight = answer == expected;
    failed += isRight ? 0 : 1;
    Console.WriteLine(isRight ? $"ok: {path}" : $"FAILED: {path}: '{answer}' instead of '{expected}'");
}
