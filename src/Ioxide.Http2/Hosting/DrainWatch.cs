using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>
/// Bounds the time that a client takes for the last bytes of a connection that has ended for the engine: by MinResponseDataRate, as Kestrel does.
/// </summary>
/// <remarks>
/// Kestrel's heartbeat has the reactor look once per second, until the connection is disposed of: while a handler holds the reactor, nothing is sent,
/// and the time does not count. Threads: the reactor's.
/// </remarks>
internal sealed class DrainWatch
{
    private readonly ConnectionContext _connection;
    private readonly Func<bool> _hasUnsent;
    private readonly MinDataRate _rate;
    private readonly ILogger _logger;
    private DataRates _rates;
    private bool _isOver;

    /// <param name="connection">What the engine has ended.</param>
    /// <param name="hasUnsent">Whether bytes wait for the client.</param>
    /// <param name="rate">The minimum.</param>
    /// <param name="rates">What the client has been given so far.</param>
    /// <param name="logger">Of the engine.</param>
    internal DrainWatch(ConnectionContext connection, Func<bool> hasUnsent, MinDataRate rate, in DataRates rates, ILogger logger)
    {
        _connection = connection;
        _hasUnsent = hasUnsent;
        _rate = rate;
        _rates = rates;
        _logger = logger;
    }

    /// <inheritdoc cref="DrainWatch(ConnectionContext, Func{bool}, MinDataRate, in DataRates, ILogger)"/>
    internal static void Start(ConnectionContext connection, MinDataRate rate, in DataRates rates, ILogger logger)
    {
        if (connection.Features.Get<IReactorFeature>() is IoxideConnectionContext ring)
        {
            var watch = new DrainWatch(connection, () => ring.HasUnsentBytes, rate, rates, logger);
            connection.Features.Get<IConnectionHeartbeatFeature>()?.OnHeartbeat(
                static state =>
                {
                    var (reactor, watch) = ((Reactor, DrainWatch))state;
                    reactor.EnqueueOrPool(watch, static watch => watch.Look(Environment.TickCount64));
                },
                (ring.Reactor, watch));
        }
    }

    internal void Look(long now)
    {
        _ = _rates.Look(now);
        if (!_hasUnsent())
        {
            // What the kernel has already is not taken back, and has the transport's own limit. What a stream in front brings later is a new write.
            _rates.Sending(_rate, 0);
        }
        else if (!_isOver && _rates.IsSendingTooSlowly(_rate, isWaiting: true, now))
        {
            const string Reason = "The client takes the last bytes more slowly than MinResponseDataRate.";
            _isOver = true;
            Http2Log.ConnectionLost(_logger, _connection.ConnectionId, Reason);
            _connection.Abort(new ConnectionAbortedException(Reason));
        }
    }
}
