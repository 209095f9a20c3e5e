using System.Net.Sockets;

namespace Ioxide.BadNetwork;

/// <summary>The web server that outbound clients ask: stock Kestrel in this process, on a unix socket, behind a proxy of each test.</summary>
public sealed class Upstream : IAsyncDisposable
{
    private static readonly SemaphoreSlim s_gate = new(1, 1);
    private static Servers? s_servers;

    internal static async Task<UnixDomainSocketEndPoint> GetAsync()
    {
        await s_gate.WaitAsync();
        try
        {
            string path = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}.sock");
            s_servers ??= await Servers.StartAsync(new HostSetup { Address = new UnixDomainSocketEndPoint(path) });
            return (UnixDomainSocketEndPoint)s_servers.EndPoints.Single();
        }
        finally
        {
            s_gate.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref s_servers, null) is { } servers)
        {
            await servers.DisposeAsync();
        }
    }
}
