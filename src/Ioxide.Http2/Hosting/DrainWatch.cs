using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>
/// Bounds the time that a client takes for the last bytes of a connection that has ended for the engine: by MinResponseDataRate, as Kestrel does.
/// </summary>
/// <remarks>Kestrel looks once per second until the connection is disposed of, on a thread of its own.</remarks>
internal sealed class DrainWatch
{
    private readonly ConnectionContext _connection;
    private readonly long _deadline;
    private readonly ILogger _logger;
    private bool _isOver;

    private DrainWatch(ConnectionContext connection, long deadline, ILogger logger)
    {
        _connection = connection;
        _deadline = deadline;
        _logger = logger;
    }

    /// <param name="connection">What the engine has ended.</param>
    /// <param name="deadline">When the client must have taken everything, by <see cref="Environment.TickCount64"/>.</param>
    /// <param name="logger">Of the engine.</param>
    internal static void Start(ConnectionContext connection, long deadline, ILogger logger)
        => connection.Features.Get<IConnectionHeartbeatFeature>()?.OnHeartbeat(
            static watch => ((DrainWatch)watch).Look(), new DrainWatch(connection, deadline, logger));

    private void Look()
    {
        // What the kernel has already is not taken back.
        if (!_isOver && Environment.TickCount64 > _deadline)
        {
            const string Reason = "The client takes the last bytes more slowly than MinResponseDataRate.";
            _isOver = true;
            Http2Log.ConnectionLost(_logger, _connection.ConnectionId, Reason);
            _connection.Abort(new ConnectionAbortedException(Reason));
        }
    }
}
