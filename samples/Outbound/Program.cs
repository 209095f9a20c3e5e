using System.Net;

const string Usage = """
    usage: dotnet run -c Release --project samples/Outbound -- [options]
      --port N          where to listen; 0 for any free port. Defaults to 8080
      --of ADDRESS      the server to ask. Defaults to http://localhost:5000, where samples/Hello listens
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments
    || !arguments.TryNumber("--port", 8080, IPEndPoint.MaxPort, out int port)
    || !arguments.TryAddress("--of", "http://localhost:5000", out Uri of))
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port));
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning).AddFilter("System.Net.Http", LogLevel.Warning);

// The client's connections live on the reactors. Pooling, HTTPS, HTTP/2 and redirects stay the handler's.
builder.Services.AddHttpClient("hello", client => client.BaseAddress = of)
    .UseSocketsHttpHandler(static (handler, _) => handler.UseIoxide());

WebApplication app = builder.Build();

// Behind each await the handler is on the reactor where it was.
app.MapGet("/", static async (IHttpClientFactory clients, CancellationToken cancellation) =>
{
    using HttpClient client = clients.CreateClient("hello");
    return $"samples/Hello says: {await client.GetStringAsync("/plaintext", cancellation)}";
});

// Two requests at once take as long as the slower one.
app.MapGet("/twice", static async (IHttpClientFactory clients, CancellationToken cancellation) =>
{
    using HttpClient client = clients.CreateClient("hello");
    string[] answers = await Task.WhenAll(client.GetStringAsync("/plaintext", cancellation), client.GetStringAsync("/plaintext", cancellation));
    return string.Join(' ', answers);
});

// The connections of both sides. Ask for authorization where strangers reach it.
app.MapIoxideDashboard();

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();
