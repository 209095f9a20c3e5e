using System.Net;
using Chat;
using Microsoft.AspNetCore.SignalR.Client;

const string Usage = """
    usage: dotnet run -c Release --project samples/Chat -- [options]
      --port N          where to listen, or where the server listens; 0 for any free port. Defaults to 5000
      --join NAME       joins the chat of the server that runs, and serves nothing
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is not { } arguments || !arguments.TryNumber("--port", 5000, IPEndPoint.MaxPort, out int port))
{
    return;
}

if (arguments.Text("--join") is { } name)
{
    await JoinAsync(port, name);
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port));
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
builder.Services.AddSignalR();

WebApplication app = builder.Build();

// A connection is a WebSocket on its reactor. A message for all is posted to the reactors of the others.
app.MapHub<ChatHub>("/chat");

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();

static async Task JoinAsync(int port, string name)
{
    await using HubConnection connection = new HubConnectionBuilder().WithUrl($"http://localhost:{port}/chat").Build();
    connection.On<string, string>(ChatHub.Said, static (who, text) => Console.WriteLine($"{who}: {text}"));
    await connection.StartAsync();
    Console.WriteLine($"{name} has joined. Each line goes to all; the end of the input leaves.");
    while (await Console.In.ReadLineAsync() is { } line)
    {
        await connection.InvokeAsync(nameof(ChatHub.Say), name, line);
    }
}
