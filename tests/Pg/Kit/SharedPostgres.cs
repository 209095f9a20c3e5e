namespace Ioxide.Pg.Tests;

/// <summary>Owns the server that the test classes share, and ends it after the last test.</summary>
public sealed class SharedPostgres : IAsyncDisposable
{
    private static readonly SemaphoreSlim s_gate = new(1, 1);
    private static PostgresServer? s_server;

    internal static async Task<PostgresServer> GetAsync()
    {
        await s_gate.WaitAsync();
        try
        {
            return s_server ??= await PostgresServer.StartAsync();
        }
        finally
        {
            s_gate.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref s_server, null) is { } server)
        {
            await server.DisposeAsync();
        }
    }
}
