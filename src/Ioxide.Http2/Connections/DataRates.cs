using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2;

/// <summary>The least rates at which a connection's bodies must come and its answers must be taken. Kestrel's rules, over all streams together.</summary>
/// <remarks>
/// <para>Requests: only time counts in which a handler waits for a body while the connection's window is open. Answers: only while one waits for its
/// windows or for the peer; each write has the grace period, or as long as its bytes take at the rate.</para>
/// <para>Times are of <see cref="Environment.TickCount64"/>, in milliseconds. Threads: the reactor's.</para>
/// </remarks>
internal struct DataRates
{
    private long _received;
    private long _waited;
    private long _writeDeadline;

    /// <summary>Bytes of a body came.</summary>
    internal void Received(int bytes) => _received += bytes;

    /// <summary>Bytes were handed to the transport, or wait for a window.</summary>
    /// <param name="rate">None where any is well.</param>
    /// <param name="bytes">How many.</param>
    /// <param name="nextLook">When the rates are looked at again, at the latest.</param>
    internal void Sending(MinDataRate? rate, long bytes, long nextLook)
    {
        if (rate is not null)
        {
            long needed = (long)(bytes * 1000 / rate.BytesPerSecond);
            _writeDeadline = Math.Max(nextLook + Math.Max(needed, (long)rate.GracePeriod.TotalMilliseconds), _writeDeadline + needed);
        }
    }

    /// <summary>Whether bodies come too slowly.</summary>
    /// <param name="rate">None where any is well.</param>
    /// <param name="bodies">Bodies that handlers have begun to read and that are not whole.</param>
    /// <param name="isAwaited">A handler waits for one, and its client may send.</param>
    /// <param name="elapsed">Since the last call.</param>
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
    /// <param name="rate">None where any is well.</param>
    /// <param name="isWaiting">An answer waits for a window or for the peer.</param>
    /// <param name="now">The time.</param>
    internal readonly bool IsSendingTooSlowly(MinDataRate? rate, bool isWaiting, long now) => rate is not null && isWaiting && now > _writeDeadline;
}
