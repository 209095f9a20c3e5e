using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>The servers of the catalogue, started once, and the board of their answers.</summary>
public sealed class SpecFixture : IAsyncLifetime
{
    internal const string Stock = "stock";

    private readonly Dictionary<string, Http2Host> _servers = [];

    internal Board Board { get; } = new("Http2Spec", Stock);

    public async ValueTask InitializeAsync()
    {
        _servers.Add(Stock, await StartAsync(isEngine: false, isTransport: false));
        _servers.Add("ioxide", await StartAsync(isEngine: false, isTransport: true));
        _servers.Add("engine", await StartAsync(isEngine: true, isTransport: true));
    }

    /// <summary>Plays a case to each server and keeps the answers.</summary>
    internal async Task PlayAsync(SpecCase played) => await Task.WhenAll(_servers.Select(async server =>
    {
        SpecPlayer player = new(server.Value.EndPoint, 20.Seconds(), 2.Seconds());
        Board.Add(played.Id, played.Source, server.Key, await player.PlayAsync(played));
    }));

    public async ValueTask DisposeAsync()
    {
        foreach (Http2Host server in _servers.Values)
        {
            await server.DisposeAsync();
        }

        Board.Dispose();
    }

    private static Task<Http2Host> StartAsync(bool isEngine, bool isTransport) => Http2Host.StartAsync(new Http2Setup
    {
        IsEngine = isEngine,
        IsTransport = isTransport,
        Handler = AnswerAsync,
        ExpectsErrors = true,

        // A body that does not come must not end what a case waits for.
        Kestrel = static kestrel => kestrel.Limits.MinRequestBodyDataRate = null,
    });

    /// <summary>Reads the body, as the cases about a body need, and answers with more bytes than any of their windows has room for.</summary>
    private static async Task AnswerAsync(HttpContext context)
    {
        await context.Request.Body.CopyToAsync(Stream.Null);
        await context.Response.WriteAsync("An answer of a few bytes.");
    }
}
