namespace Ioxide.Http2;

/// <summary>What may take only so long: a connection without a request, and a header block.</summary>
internal sealed partial class Http2Connection
{
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromSeconds(1);

    private long _idleSince = Environment.TickCount64;
    private long _blockSince;

    /// <summary>Looks once a second, as Kestrel does, until the connection has ended.</summary>
    private async Task WatchAsync()
    {
        try
        {
            while (!_hasLeft)
            {
                await Reactor.DelayAsync(s_lookInterval).ConfigureAwait(true);
                if (!_hasLeft && !_isClosed)
                {
                    Look(Environment.TickCount64);
                }
            }
        }
        catch (ObjectDisposedException)
        {
            // The reactor has ended, and with it the connection.
        }
    }

    private void Look(long now)
    {
        if (_blockStreamId != 0 && now - _blockSince > Options.RequestHeadersTimeout.TotalMilliseconds)
        {
            Fail(Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "A header block was not whole within RequestHeadersTimeout."));
            _input.CancelPendingRead();
            FlushOutsideOfLoop();
        }
        else if (_open == 0 && now - _idleSince > Options.KeepAliveTimeout.TotalMilliseconds)
        {
            StopHere();
        }
    }
}
