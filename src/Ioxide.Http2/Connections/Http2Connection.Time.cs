namespace Ioxide.Http2;

/// <summary>Time limits: for a connection without a request, a header block, bodies and answers.</summary>
internal sealed partial class Http2Connection
{
    private const int LookIntervalMs = 1000;

    // Of _idleSince: a stream has ended since the last look. The clock is read there, and not for each stream.
    private const long UntilNextLook = 0;

    private DataRates _rates;
    private long _lastLook = Environment.TickCount64;
    private long _idleSince = Environment.TickCount64;
    private long _blockSince;
    private long _heardSince = Environment.TickCount64;
    private long _pingSince;

    /// <summary>Checks once per second, as Kestrel does, until the connection has ended.</summary>
    private async Task WatchAsync()
    {
        try
        {
            while (!_hasLeft)
            {
                await Reactor.DelayAsync(TimeSpan.FromMilliseconds(LookIntervalMs)).ConfigureAwait(true);
                if (!_hasLeft && !_isClosed)
                {
                    TrimPool();
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
        // A server that is short of time does not count it against its clients.
        long elapsed = Math.Min(now - _lastLook, LookIntervalMs);
        _lastLook = now;
        _idleSince = _idleSince == UntilNextLook ? now : _idleSince;
        if (_blockStreamId != 0 && now - _blockSince > Options.RequestHeadersTimeout.TotalMilliseconds)
        {
            FailHere(Http2ErrorCode.EnhanceYourCalm, "A header block was not whole within RequestHeadersTimeout.", "request_headers_timeout");
        }
        else if (IsReceivingTooSlowly(elapsed))
        {
            FailHere(Http2ErrorCode.InternalError, "Request bodies come more slowly than MinRequestBodyDataRate.", "min_request_body_data_rate");
        }
        else if (_rates.IsSendingTooSlowly(Options.ResponseRate, _isFlushing || _blocked.Count > 0, now))
        {
            FailHere(Http2ErrorCode.InternalError, "Answers are taken more slowly than MinResponseDataRate.", "min_response_data_rate");
        }
        else if (_open == 0 && now - _idleSince > Options.KeepAliveTimeout.TotalMilliseconds)
        {
            StopHere();
        }
        else if (_pingSince != 0)
        {
            if (now - _pingSince > Options.PingTimeout.TotalMilliseconds)
            {
                FailHere(Http2ErrorCode.InternalError, "The client did not answer a ping within KeepAlivePingTimeout.", "keep_alive_timeout");
            }
        }
        else if (now - _heardSince > Options.PingDelay.TotalMilliseconds)
        {
            _pingSince = now;
            Http2FrameWriter.WritePing(_output, 0, isAnswer: false);
            FlushOutsideOfLoop();
        }
    }

    /// <summary>Bytes came: the peer is there.</summary>
    private void NoteHeard()
    {
        _heardSince = Environment.TickCount64;
        _pingSince = 0;
    }

    private bool IsReceivingTooSlowly(long elapsed)
    {
        int bodies = 0;
        bool isAwaited = false;
        foreach (Http2Stream stream in _streams.Values)
        {
            if (!stream.HasReceivedEnd && stream.IsBodyTimed)
            {
                bodies++;
                isAwaited |= stream.Body.IsAwaited;
            }
        }

        return _rates.IsReceivingTooSlowly(
            Options.RequestRate, bodies, isAwaited && _receiveLeft >= Options.ConnectionWindow / 2, elapsed);
    }

    private void FailHere(Http2ErrorCode code, string reason, string errorType)
    {
        Fail(Http2Fault.Connection(code, reason, errorType));
        _input.CancelPendingRead();
        FlushOutsideOfLoop();
    }
}
