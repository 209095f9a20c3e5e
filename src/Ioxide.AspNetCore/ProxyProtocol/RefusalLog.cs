namespace Ioxide.AspNetCore;

/// <summary>
/// Reports refused connections of an end point: one warning per 10 seconds, so that strangers cannot fill the log, the rest at Debug.
/// </summary>
/// <remarks>Threads: any.</remarks>
internal sealed class RefusalLog(ILogger logger)
{
    private const int QuietMs = 10_000;

    private long _nextWarningMs = long.MinValue;
    private int _unreportedCount;

    internal void Write(ConnectionContext connection, string problem)
    {
        long now = Environment.TickCount64;
        long next = Volatile.Read(ref _nextWarningMs);
        if (now < next || Interlocked.CompareExchange(ref _nextWarningMs, now + QuietMs, next) != next)
        {
            Interlocked.Increment(ref _unreportedCount);
            TransportLog.ProxyPeerRefusedAgain(logger, connection.ConnectionId, connection.RemoteEndPoint, problem);
            return;
        }

        TransportLog.ProxyPeerRefused(
            logger, connection.RemoteEndPoint, connection.LocalEndPoint, problem, Interlocked.Exchange(ref _unreportedCount, 0));
    }
}
