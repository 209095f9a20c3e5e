using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2;

/// <summary>Minimum rates at which bodies must arrive and answers must be taken. Kestrel's rules, over all streams of a connection.</summary>
/// <remarks>
/// <para>Requests: time counts only while a handler waits for a body and the connection's window is open. Answers: time counts only while one waits
/// for its windows or for the peer. Each write has the grace period, or the time that its bytes take at the rate.</para>
/// <para>Times are of <see cref="Environment.TickCount64"/>, in milliseconds. Threads: the reactor's.</para>
/// </remarks>
/// <param name="now">The time.</param>
internal struct DataRates(long now)
{
    /// <summary>Time between two looks.</summary>
    internal const int IntervalMs = 1000;

    private long _lastLook = now;
    private long _received;
    private long _waited;
    private long _writeDeadline;

    /// <summary>Comes in front of each check. What it is late by is a pause of the server, which is not counted against clients.</summary>
    /// <param name="now">The time.</param>
    /// <returns>The time since the last look that counts.</returns>
    internal long Look(long now)
    {
        long elapsed = Math.Min(now - _lastLook, IntervalMs);
        _writeDeadline += now - _lastLook - elapsed;
        _lastLook = now;
        return elapsed;
    }

    /// <summary>Bytes of a body arrived.</summary>
    internal void Received(int bytes) => _received += bytes;

    /// <summary>Bytes were handed to the transport; none where an answer begins to wait for a window.</summary>
    /// <param name="rate">Null for no minimum.</param>
    /// <param name="bytes">Number of bytes.</param>
    internal void Sending(MinDataRate? rate, long bytes)
    {
        if (rate is not null)
        {
            // A look that comes later moves the deadline by as much.
            long nextLook = _lastLook + IntervalMs;
            long needed = (long)(bytes * 1000 / rate.BytesPerSecond);
            _writeDeadline = Math.Max(nextLook + Math.Max(needed, (long)rate.GracePeriod.TotalMilliseconds), _writeDeadline + needed);
        }
    }

    /// <summary>Whether bodies arrive too slowly.</summary>
    /// <param name="rate">Null for no minimum.</param>
    /// <param name="bodies">Incomplete bodies that handlers have begun to read.</param>
    /// <param name="isAwaited">A handler waits for one, and its client may send.</param>
    /// <param name="elapsed">Time since the last call.</param>
    internal bool IsReceivingTooSlowly(MinDataRate? rate, int bodies, bool isAwaited, long elapsed)
    {
        if (bodies == 0)
        {
            _received = 0;
            _waited = 0;
            return false;
        }

        if (!isAwaited || rate is null)
        {
            return false;
        }

        _waited += elapsed;
        return _waited > rate.GracePeriod.TotalMilliseconds && _received * 1000 < rate.BytesPerSecond * _waited;
    }

    /// <summary>Whether answers are taken too slowly.</summary>
    /// <param name="rate">Null for no minimum.</param>
    /// <param name="isWaiting">An answer waits for a window or for the peer.</param>
    /// <param name="now">The time.</param>
    internal readonly bool IsSendingTooSlowly(MinDataRate? rate, bool isWaiting, long now) => rate is not null && isWaiting && now > _writeDeadline;
}
