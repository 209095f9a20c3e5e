using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The servers that the catalogue of WebSockets is played to. They start with the first case.</summary>
public sealed class WebSocketServers : IAsyncDisposable
{
    private readonly Lazy<Task<(string Name, TestServer Server)[]>> _servers = new(StartAllAsync);

    internal Board Board { get; } = new("WebSocket", "stock");

    internal Task<(string Name, TestServer Server)[]> AllAsync() => _servers.Value;

    public async ValueTask DisposeAsync()
    {
        Board.Dispose();
        if (_servers.IsValueCreated && _servers.Value.IsCompletedSuccessfully)
        {
            foreach ((_, TestServer server) in await _servers.Value)
            {
                await server.DisposeAsync();
            }
        }
    }

    private static async Task<(string Name, TestServer Server)[]> StartAllAsync()
    {
        Assert.SkipWhen(FaultSetup.IsOn, "A catalogue is played to servers that meet no fault.");
        return [("stock", await StartAsync(TransportKind.Sockets)), ("ioxide", await StartAsync(TransportKind.Ioxide))];
    }

    private static Task<TestServer> StartAsync(TransportKind transport)
        => TestServer.StartAsync(new ServerSetup(transport) { Map = static app => app.UseWebSockets(), Handler = WebSocketEcho.RunAsync });
}
