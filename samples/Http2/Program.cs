using System.Net;
using Ioxide.Tls;
using Microsoft.AspNetCore.Server.Kestrel.Core;

const string Usage = """
    usage: dotnet run -c Release --project samples/Http2 -- [options]
      --port N          where to listen for TLS; 0 for any free port. Defaults to 5001
      --clear-port N    where to listen for clear text; 0 for any free port. Defaults to 5000
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 5001, IPEndPoint.MaxPort, out int port)
    || !arguments.TryNumber("--clear-port", 5000, IPEndPoint.MaxPort, out int clearPort))
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

// Each endpoint asks for the engine. `builder.WebHost.UseIoxideHttp2()` instead asks for all of them, those of the configuration included.
builder.Services.AddIoxideHttp2();
builder.WebHost.ConfigureKestrel(kestrel =>
{
    // The client's offer (ALPN) decides: HTTP/2 by the engine, HTTP/1.1 by Kestrel.
    kestrel.Listen(IPAddress.Loopback, port, static listen =>
    {
        listen.UseIoxideTls(static https => https.ServerCertificate = OwnCertificate.Make());
        listen.UseIoxideHttp2();
    });

    // Nothing is offered in clear text: a client knows beforehand that this endpoint speaks HTTP/2.
    kestrel.Listen(IPAddress.Loopback, clearPort, static listen =>
    {
        listen.Protocols = HttpProtocols.Http2;
        listen.UseIoxideHttp2();
    });
});

WebApplication app = builder.Build();
app.MapGet("/", static (HttpContext context) => $"{context.Request.Protocol} by {context.Request.Scheme}");

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();
