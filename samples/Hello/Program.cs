using System.IO.Pipelines;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;

const string Usage = """
    usage: dotnet run -c Release --project samples/Hello -- [options]
      --urls URLS       where to listen. Defaults to http://localhost:5000, or to the socket that systemd passes
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md, such as --Ioxide:ReactorCount=1
    """;

if (Arguments.Read(args, Usage) is null)
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);

// The one line that moves an application to reactors on io_uring. Where the host refuses io_uring, the same reactors run on epoll.
builder.WebHost.UseIoxide();

// Under socket activation (deploy/ioxide.socket) it serves systemd's socket. Otherwise this does nothing.
builder.WebHost.ConfigureKestrel(static kestrel => kestrel.UseSystemd());

// A line per request would hide what the transport says at start.
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

builder.Services.AddHealthChecks().AddIoxide(tags: ["live"]).AddIoxideReadiness(tags: ["ready"]);

WebApplication app = builder.Build();
app.UseWebSockets();

// Live plots of each reactor, and whether they turn. Ask for authorization where strangers reach them.
app.MapIoxideDashboard();
app.MapHealthChecks("/health");

// For an orchestrator: whether to restart the process, and whether to send it anything new.
app.MapHealthChecks("/live", new() { Predicate = check => check.Tags.Contains("live") });
app.MapHealthChecks("/ready", new() { Predicate = check => check.Tags.Contains("ready") });

app.MapGet("/", () => TypedResults.Content(
    """
    <!doctype html>
    <title>Ioxide</title>
    <h1>Hello from Ioxide</h1>
    <ul>
      <li><a href="/plaintext">/plaintext</a>
      <li><a href="/json">/json</a>
      <li><a href="/stream">/stream</a>: a server-sent event per second, until the server stops
      <li><a href="/ioxide">/ioxide</a>: the dashboard
      <li><a href="/health">/health</a>, <a href="/live">/live</a>, <a href="/ready">/ready</a>
      <li>/echo: POST a body, get it back
      <li>/upload: POST a body, get its length
      <li>/ws: a WebSocket that echoes
    </ul>
    """,
    "text/html; charset=utf-8"));

app.MapGet("/plaintext", () => "Hello, World!");

app.MapGet("/json", () => new { Message = "Hello, World!", DateTimeOffset.UtcNow });

app.MapPost("/echo", (HttpRequest request, HttpResponse response, CancellationToken cancellation) =>
{
    response.ContentType = request.ContentType ?? "application/octet-stream";
    return request.BodyReader.CopyToAsync(response.BodyWriter, cancellation);
});

app.MapPost("/upload", async (PipeReader body, CancellationToken cancellation) =>
{
    long lengthBytes = 0;
    ReadResult read;
    do
    {
        read = await body.ReadAsync(cancellation);
        lengthBytes += read.Buffer.Length;
        body.AdvanceTo(read.Buffer.End);
    }
    while (!read.IsCompleted);

    return lengthBytes;
});

app.MapGet("/stream", (IHostApplicationLifetime lifetime, CancellationToken cancellation) =>
    TypedResults.ServerSentEvents(TickAsync(lifetime.ApplicationStopping, cancellation), eventType: "tick"));

app.MapGet("/ws", async (HttpContext context, IHostApplicationLifetime lifetime) =>
{
    if (!context.WebSockets.IsWebSocketRequest)
    {
        context.Response.StatusCode = StatusCodes.Status400BadRequest;
        return;
    }

    using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
    try
    {
        await EchoAsync(socket, lifetime.ApplicationStopping, context.RequestAborted);
    }
    catch (Exception exception) when (exception is WebSocketException or OperationCanceledException)
    {
        // The client left without a close frame.
    }
});

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();

// A stop waits for requests, and this one has no end of its own: it ends when the host begins to stop.
static async IAsyncEnumerable<string> TickAsync(
    CancellationToken stopping, [EnumeratorCancellation] CancellationToken cancellation)
{
    using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1));

    // Disposing the timer ends the wait with false, so that the stream ends as a whole response.
    using CancellationTokenRegistration registration = stopping.Register(timer.Dispose);
    int count = 0;
    do
    {
        yield return $"{++count}";
    }
    while (await timer.WaitForNextTickAsync(cancellation));
}

static async Task EchoAsync(WebSocket socket, CancellationToken stopping, CancellationToken cancellation)
{
    // Asks the client to close; its answer ends the loop.
    await using CancellationTokenRegistration registration = stopping.Register(() => _ = AskToCloseAsync(socket, cancellation));
    byte[] buffer = new byte[4096];
    while (true)
    {
        ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), cancellation);
        if (received.MessageType == WebSocketMessageType.Close)
        {
            if (socket.State == WebSocketState.CloseReceived)
            {
                await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, cancellation);
            }

            return;
        }

        if (socket.State == WebSocketState.Open)
        {
            await socket.SendAsync(
                buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, cancellation);
        }
    }
}

static async Task AskToCloseAsync(WebSocket socket, CancellationToken cancellation)
{
    try
    {
        await socket.CloseOutputAsync(WebSocketCloseStatus.EndpointUnavailable, "The server stops.", cancellation);
    }
    catch (Exception exception) when (exception is WebSocketException or OperationCanceledException)
    {
        // The client has left, which ends the loop too.
    }
}
