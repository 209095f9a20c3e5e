using Microsoft.AspNetCore.Connections.Features;

namespace Ioxide.Files;

/// <summary>The server's timeouts for a connection while the front door answers it: the server sees nothing of what is answered.</summary>
/// <remarks>
/// <para><see cref="KestrelServerLimits.KeepAliveTimeout"/> runs from each answer on and ends the connection between two requests, as the
/// server's own does. The server's clock has run on since the last request that it saw, so its own end may come too early: that
/// is held back (<see cref="MayEnd"/>). <see cref="KestrelServerLimits.MinResponseDataRate"/> aborts a connection whose client does not
/// take its answers. The server's heartbeat checks both once per second and, as the server does, allows one second more.</para>
/// <para>Threads: those that read the connection, one at a time; the heartbeat's.</para>
/// </remarks>
internal sealed class FrontDoorTimeouts(ConnectionContext connection, KestrelServerLimits limits, IConnectionLifetimeNotificationFeature lifetime)
{
    private const long Never = long.MaxValue;
    private const long HeartbeatMs = 1000;

    // The server sees one request in this part of its timeout: what it would end while the client is busy is then rare.
    private const int ServersShare = 8;

    private readonly ConnectionContext _connection = connection;
    private readonly KestrelServerLimits _limits = limits;
    private readonly IConnectionLifetimeNotificationFeature _lifetime = lifetime;
    private long _idleDeadlineMs = Never;
    private long _flushDeadlineMs = Never;
    private long _tickMs = Environment.TickCount64;
    private long _serverSeenMs = Environment.TickCount64;
    private volatile bool _isAnswered;
    private volatile bool _isHeldBack;

    /// <summary>Whether the server should see the next request, so that it does not take the connection for idle.</summary>
    internal bool IsServerWaiting
        => !_isHeldBack && Environment.TickCount64 - _serverSeenMs > _limits.KeepAliveTimeout.TotalMilliseconds / ServersShare;

    /// <summary>Null where the server does not offer what is needed: then it answers everything itself.</summary>
    internal static FrontDoorTimeouts? TryCreate(ConnectionContext connection, KestrelServerLimits limits)
    {
        if (connection.Features.Get<IConnectionLifetimeNotificationFeature>() is not { } lifetime
            || connection.Features.Get<IConnectionHeartbeatFeature>() is not { } heartbeat)
        {
            return null;
        }

        var timeouts = new FrontDoorTimeouts(connection, limits, lifetime);
        heartbeat.OnHeartbeat(static timeouts => ((FrontDoorTimeouts)timeouts).Tick(), timeouts);
        return timeouts;
    }

    /// <summary>
    /// Whether the server may end the connection. Not where it only takes it for idle: the door has answered since it looked.
    /// </summary>
    internal bool MayEnd()
    {
        _isHeldBack = _isAnswered && !_lifetime.ConnectionClosedRequested.IsCancellationRequested;
        return !_isHeldBack;
    }

    /// <summary>Answers were written; their flush begins.</summary>
    internal void BeginFlush(long answerBytes)
    {
        _isAnswered = true;
        Volatile.Write(ref _idleDeadlineMs, Never);
        if (_limits.MinResponseDataRate is { } rate)
        {
            double ms = Math.Max(rate.GracePeriod.TotalMilliseconds, answerBytes / rate.BytesPerSecond * 1000);
            Volatile.Write(ref _flushDeadlineMs, DeadlineIn(ms));
        }
    }

    /// <summary>The answers were taken, and the connection is idle from now on.</summary>
    internal void EndFlush()
    {
        Volatile.Write(ref _flushDeadlineMs, Never);
        Volatile.Write(ref _idleDeadlineMs, DeadlineIn(_limits.KeepAliveTimeout.TotalMilliseconds));
    }

    /// <summary>The server sees the beginning of a request, and sets its own timeout.</summary>
    internal void HandOver()
    {
        _isAnswered = false;
        _serverSeenMs = Environment.TickCount64;
        Volatile.Write(ref _idleDeadlineMs, Never);
    }

    private static long DeadlineIn(double ms) => Environment.TickCount64 + HeartbeatMs + (long)Math.Min(ms, int.MaxValue);

    private void Tick()
    {
        long now = Environment.TickCount64;
        if (now > Volatile.Read(ref _idleDeadlineMs))
        {
            Volatile.Write(ref _idleDeadlineMs, Never);
            _lifetime.RequestClose();
        }

        // A late heartbeat is the machine's fault, not the client's.
        long late = Math.Max(0, now - _tickMs - HeartbeatMs);
        _tickMs = now;
        long deadline = Volatile.Read(ref _flushDeadlineMs);
        if (deadline != Never
            && Interlocked.CompareExchange(ref _flushDeadlineMs, deadline + late, deadline) == deadline
            && now > deadline + late)
        {
            _connection.Abort(new ConnectionAbortedException(
                $"The client receives responses with files more slowly than {nameof(KestrelServerLimits.MinResponseDataRate)} demands."));
        }
    }
}
