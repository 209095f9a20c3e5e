using System.Net.Http.Json;
using System.Text.Json;

namespace Ioxide.Compare.Servers;

/// <summary>Reads <c>/stats</c> and checks that the connection that carried it runs on the side's transport.</summary>
internal sealed class HostStatsClient : IDisposable
{
    private readonly HttpClient _client = new(new SocketsHttpHandler { UseProxy = false })
    {
        Timeout = TimeSpan.FromSeconds(30),
    };

    /// <returns>Null where the server is none that has such a page.</returns>
    /// <exception cref="RefusedException">The connection runs on another transport, or gave no answer.</exception>
    internal async Task<HostStats?> ReadAsync(ServerProcess server, CancellationToken cancellation)
    {
        if (server.Side.Program != SideProgram.LoadHost)
        {
            return null;
        }

        HostStats stats;
        try
        {
            stats = await _client.GetFromJsonAsync<HostStats>(
                $"http://127.0.0.1:{server.Ports.Http}/stats", cancellation);
        }
        catch (Exception exception) when (IsNoAnswer(exception) && !cancellation.IsCancellationRequested)
        {
            server.CheckAlive();
            throw new RefusedException($"{server.Side.Name} did not answer /stats: {exception.Message}");
        }

        return stats.Transport == server.Side.Transport
            ? stats
            : throw new RefusedException(
                $"{server.Side.Name} was asked for '{server.Side.Transport}' and serves on '{stats.Transport}'.");
    }

    public void Dispose() => _client.Dispose();

    private static bool IsNoAnswer(Exception exception)
        => exception is HttpRequestException or OperationCanceledException or JsonException;
}
