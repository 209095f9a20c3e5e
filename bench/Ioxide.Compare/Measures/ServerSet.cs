using Ioxide.Compare.Servers;

namespace Ioxide.Compare.Measures;

/// <summary>The servers of all sides, started together, and the upstream of those that need one.</summary>
internal sealed class ServerSet : IDisposable
{
    private readonly List<ServerProcess> _servers = [];
    private ServerProcess? _upstream;

    private ServerSet()
    {
    }

    internal IReadOnlyList<ServerProcess> All => _servers;

    internal static async Task<ServerSet> StartAsync(Session session, CancellationToken cancellation)
    {
        var set = new ServerSet();
        try
        {
            if (session.Workload.NeedsUpstream)
            {
                set._upstream = await StartUpstreamAsync(session, cancellation);
            }

            foreach (Side side in session.Sides)
            {
                ServerPorts ports = ServerPorts.OfServer(set._servers.Count);
                ServerCommand command = session.Command(side, ports, set._upstream?.Ports.Http ?? 0);
                set._servers.Add(await ServerProcess.StartAsync(
                    side, ports, command, session.Options.ServerCpus, cancellation));
            }

            return set;
        }
        catch
        {
            set.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        foreach (ServerProcess server in _servers)
        {
            server.Dispose();
        }

        _upstream?.Dispose();
    }

    /// <summary>The C server, else nginx, among the load: its work must not count as the server's.</summary>
    private static Task<ServerProcess> StartUpstreamAsync(Session session, CancellationToken cancellation)
    {
        Side side = new[] { SideCatalog.Liburing, SideCatalog.Nginx }.FirstOrDefault(side => side.IsThere(session.Layout))
            ?? throw new RefusedException("The workload needs another server: liburing with a C compiler, or nginx.");
        if (side == SideCatalog.Nginx)
        {
            session.Warn("the other server is nginx, because the one with liburing is not built");
        }

        ServerPorts ports = ServerPorts.OfServer(session.Sides.Count);
        ServerCommand command = session.Command(side, ports, upstreamPort: 0);
        return ServerProcess.StartAsync(side, ports, command, session.Options.LoadCpus, cancellation);
    }
}
