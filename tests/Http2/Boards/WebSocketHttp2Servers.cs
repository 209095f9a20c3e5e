using Microsoft.AspNetCore.Builder;

namespace Ioxide.Http2.Tests;

/// <summary>The servers of HTTP/2 that the catalogue of WebSockets is played to, each over one connection. They start with the first case.</summary>
public sealed class WebSocketHttp2Servers : IAsyncDisposable
{
    private readonly Lazy<Task<(string Name, Http2Host Host, HttpClient Client)[]>> _servers = new(StartAllAsync);

    internal Board Board { get; } = new("WebSocketHttp2", "stock");

    internal Task<(string Name, Http2Host Host, HttpClient Client)[]> AllAsync() => _servers.Value;

    /// <summary>Asks for a WebSocket by the extended CONNECT. Source: RFC 8441, section 5.</summary>
    internal static async Task<WebSocketLink> ConnectAsync(HttpClient client, string path, string? offers)
    {
        using HttpRequestMessage request = new(HttpMethod.Connect, path)
        {
            Version = client.DefaultRequestVersion,
            VersionPolicy = client.DefaultVersionPolicy,
        };
        request.Headers.Protocol = "websocket";
        request.Headers.Add("Sec-WebSocket-Version", "13");
        if (offers is not null)
        {
            request.Headers.TryAddWithoutValidation("Sec-WebSocket-Extensions", offers);
        }

        HttpResponseMessage response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        response.EnsureSuccessStatusCode();
        bool isExtended = response.Headers.TryGetValues("Sec-WebSocket-Extensions", out IEnumerable<string>? values);
        return new WebSocketLink(await response.Content.ReadAsStreamAsync(), isExtended ? string.Join(", ", values!) : null);
    }

    public async ValueTask DisposeAsync()
    {
        Board.Dispose();
        if (_servers.IsValueCreated && _servers.Value.IsCompletedSuccessfully)
        {
            foreach ((_, Http2Host host, HttpClient client) in await _servers.Value)
            {
                client.Dispose();
                await host.DisposeAsync();
            }
        }
    }

    private static async Task<(string Name, Http2Host Host, HttpClient Client)[]> StartAllAsync()
        =>
        [
            await StartAsync("stock", new Http2Setup { IsEngine = false }),
            await StartAsync("ioxide", new Http2Setup { IsEngine = false, IsTransport = true }),
            await StartAsync("engine", new Http2Setup()),
        ];

    private static async Task<(string Name, Http2Host Host, HttpClient Client)> StartAsync(string name, Http2Setup setup)
    {
        Http2Host host = await Http2Host.StartAsync(setup with { Map = static app => app.UseWebSockets(), Handler = WebSocketEcho.RunAsync });
        return (name, host, host.CreateClient());
    }
}
