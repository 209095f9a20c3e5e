using Microsoft.AspNetCore.Hosting;

namespace Ioxide.Tls.Tests;

/// <summary>The servers that the catalogue of TLS is played to. They start with the first case.</summary>
public sealed class TlsServers : IAsyncDisposable
{
    private readonly Lazy<Task<(string Name, HttpsServer Server)[]>> _servers = new(StartAllAsync);

    internal Board Board { get; } = new("Tls", "stock");

    internal Task<(string Name, HttpsServer Server)[]> AllAsync() => _servers.Value;

    public async ValueTask DisposeAsync()
    {
        Board.Dispose();
        if (_servers.IsValueCreated && _servers.Value.IsCompletedSuccessfully)
        {
            foreach ((_, HttpsServer server) in await _servers.Value)
            {
                await server.DisposeAsync();
            }
        }
    }

    private static async Task<(string Name, HttpsServer Server)[]> StartAllAsync()
        =>
        [
            ("stock", await HttpsServer.StartAsync(static listen => listen.UseHttps(TestCertificates.Ecdsa), hasRings: false)),
            ("ioxide", await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(TestCertificates.Ecdsa))),
        ];
}
