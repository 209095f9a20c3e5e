using System.Net;
using Yarp.ReverseProxy.Configuration;

const string Usage = """
    usage: dotnet run -c Release --project samples/Gateway -- [options]
      --port N          where to listen; 0 for any free port. Defaults to 8080
      --to ADDRESS      where requests go. Defaults to http://localhost:5000, where samples/Hello listens
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 8080, IPEndPoint.MaxPort, out int port)
    || !arguments.TryAddress("--to", "http://localhost:5000", out Uri to))
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port));
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning).AddFilter("Yarp", LogLevel.Warning);

// An application reads its routes from its settings: LoadFromConfig(builder.Configuration.GetSection("ReverseProxy")).
RouteConfig route = new() { RouteId = "all", ClusterId = "hello", Match = new RouteMatch { Path = "{**path}" } };
ClusterConfig cluster = new()
{
    ClusterId = "hello",
    Destinations = new Dictionary<string, DestinationConfig> { ["first"] = new() { Address = to.ToString() } },
};
builder.Services.AddReverseProxy()
    .LoadFromMemory([route], [cluster])

    // The connections to the destinations live on the reactors, too.
    .ConfigureHttpClient(static (_, handler) => handler.UseIoxide());

WebApplication app = builder.Build();
app.MapReverseProxy();

// Both sides' connections. Ask for authorization where strangers reach it.
app.MapIoxideDashboard();

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();
