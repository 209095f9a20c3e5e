using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Text.Json.Serialization;
using Ioxide.Tls;

const string Usage = """
    usage: dotnet run -c Release --project samples/Https -- [options]
      --port N          where to listen; 0 for any free port. Defaults to 5001
      --offload NAME    Auto; Require: the kernel encrypts what is sent (modprobe tls); Never: user space does. Defaults to Auto
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 5001, IPEndPoint.MaxPort, out int port)
    || !arguments.TryName("--offload", TlsKernelOffload.Auto, out TlsKernelOffload offload))
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

// Answers have names instead of numbers: "Tls13", "TLS_AES_128_GCM_SHA256".
builder.Services.ConfigureHttpJsonOptions(static json => json.SerializerOptions.Converters.Add(new JsonStringEnumConverter()));

// HTTP/1.1 and HTTP/2 on one port; the client's offer (ALPN) decides.
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(
    IPAddress.Loopback, port,
    listen => listen.UseIoxideTls(https => https.ServerCertificate = OwnCertificate.Make(), tls => tls.KernelOffload = offload)));

WebApplication app = builder.Build();

// What the connection of this request agreed on.
app.MapGet("/", (HttpContext context) =>
{
    if (context.Features.Get<IIoxideTlsFeature>() is not { Session: { } session })
    {
        return TypedResults.Ok(new Agreed(context.Request.Protocol, SslProtocols.None, null, false, "SslStream", "SslStream"));
    }

    TlsSessionInfo info = session.Info;
    string sentBy = session.Output.IsInKernel ? "the kernel" : "the ring";
    Agreed agreed = new(context.Request.Protocol, info.Protocol, info.CipherSuite, info.IsResumed, sentBy, "the ring");
    Console.WriteLine(agreed);
    return TypedResults.Ok(agreed);
});

app.MapPost("/echo", (HttpRequest request, HttpResponse response, CancellationToken cancellation) =>
    request.BodyReader.CopyToAsync(response.BodyWriter, cancellation));

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

await app.StartAsync();
Console.WriteLine($"Try: curl -k {string.Join(' ', app.Urls)}");
await app.WaitForShutdownAsync();

/// <summary>What a connection agreed on, and who encrypts what it sends and decrypts what it receives.</summary>
internal sealed record Agreed(string Http, SslProtocols Tls, TlsCipherSuite? Suite, bool IsResumed, string SentBy, string ReceivedBy);
