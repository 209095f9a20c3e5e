using System.Net;
using Greeting;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;

const string Usage = """
    usage: dotnet run -c Release --project samples/Grpc -- [options]
      --port N          where to listen, or where the server listens; 0 for any free port. Defaults to 5000
      --call NAME       calls the server that runs, and serves nothing
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments || !arguments.TryNumber("--port", 5000, IPEndPoint.MaxPort, out int port))
{
    return;
}

if (arguments.Text("--call") is { } name)
{
    await CallAsync(port, name);
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
builder.Services.AddGrpc();

// A client of gRPC begins with HTTP/2. In clear text there is no ALPN to choose it, so this endpoint speaks nothing else.
builder.Services.AddIoxideHttp2();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port, static listen =>
{
    listen.Protocols = HttpProtocols.Http2;
    listen.UseIoxideHttp2();
}));

WebApplication app = builder.Build();
app.MapGrpcService<GreeterService>();

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();

static async Task CallAsync(int port, string name)
{
    using GrpcChannel channel = GrpcChannel.ForAddress($"http://localhost:{port}");
    var greeter = new Greeter.GreeterClient(channel);
    var person = new Person { Name = name };
    Console.WriteLine((await greeter.GreetAsync(person)).Text);

    using AsyncServerStreamingCall<Reply> call = greeter.GreetInEachLanguage(person);
    await foreach (Reply reply in call.ResponseStream.ReadAllAsync())
    {
        Console.WriteLine(reply.Text);
    }
}
