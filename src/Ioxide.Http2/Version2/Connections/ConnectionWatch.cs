namespace Ioxide.Http2;

/// <summary>
/// Time limits: for a connection without a request, a header block, bodies and answers. Looked at once per second, as Kestrel does.
/// </summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class ConnectionWatch(Http2Connection connection)
{
    // Of _idleSince: a stream has ended or a PING came since the last look. The clock is read there, and not for each of them.
    private const long UntilNextLook = 0;

    private DataRates _rates = new(Environment.TickCount64);
    private long _idleSince = Environment.TickCount64;
    private long _heardSince = Environment.TickCount64;
    private long _pingSince;

    private Http2Options Options => connection.Options;

    /// <summary>Looks until the connection has ended.</summary>
    internal async Task RunAsync()
    {
        try
        {
            while (!connection.HasLeft)
            {
                await connection.Reactor.DelayAsync(TimeSpan.FromMilliseconds(DataRates.IntervalMs)).ConfigureAwait(true);
                if (!connection.HasLeft && !connection.IsClosed)
                {
                    connection.Pool.Trim();
                    Look(Environment.TickCount64);
                }
            }
        }
        catch (ObjectDisposedException)
        {
            // The reactor has ended, and with it the connection.
        }
    }

    /// <summary>Bytes came: the peer is there.</summary>
    internal void NoteHeard()
    {
        _heardSince = Environment.TickCount64;
        _pingSince = 0;
    }

    /// <summary>Bytes of a body came.</summary>
    internal void NoteReceived(int bytes) => _rates.Received(bytes);

    /// <summary>Bytes were handed to the transport; none where an answer begins to wait for a window.</summary>
    internal void NoteSending(long bytes) => _rates.Sending(Options.ResponseRate, bytes);

    /// <summary>A stream has ended, or the peer has sent a PING or answered one: KeepAliveTimeout begins again, unless a stream is open.</summary>
    internal void RenewKeepAlive() => _idleSince = UntilNextLook;

    /// <summary>Nothing more is written: what is queued has the time of a write, whether or not handlers still run.</summary>
    internal void BeginDrain()
    {
        if (Options.DrainRate is { } rate)
        {
            _ = _rates.Look(Environment.TickCount64);
            _rates.Sending(rate, 1 + connection.Sender.WrittenBytes);
            DrainWatch.Start(connection.Context, rate, _rates, connection.Logger);
        }
    }

    private void Look(long now)
    {
        long elapsed = _rates.Look(now);
        _idleSince = _idleSince == UntilNextLook ? now : _idleSince;
        if (connection.Blocks.StreamId != 0 && now - connection.Blocks.Since > Options.RequestHeadersTimeout.TotalMilliseconds)
        {
            Fail(Http2ErrorCode.EnhanceYourCalm, "A header block was not whole within RequestHeadersTimeout.", "request_headers_timeout");
        }
        else if (IsReceivingTooSlowly(elapsed))
        {
            Fail(Http2ErrorCode.InternalError, "Request bodies come more slowly than MinRequestBodyDataRate.", "min_request_body_data_rate");
        }
        else if (_rates.IsSendingTooSlowly(Options.ResponseRate, connection.Sender.IsWaiting, now))
        {
            Fail(Http2ErrorCode.InternalError, "Answers are taken more slowly than MinResponseDataRate.", "min_response_data_rate");
        }
        else if (connection.OpenCount == 0 && now - _idleSince > Options.KeepAliveTimeout.TotalMilliseconds)
        {
            connection.StopHere();
        }
        else if (_pingSince != 0)
        {
            if (now - _pingSince > Options.PingTimeout.TotalMilliseconds)
            {
                Fail(Http2ErrorCode.InternalError, "The client did not answer a ping within KeepAlivePingTimeout.", "keep_alive_timeout");
            }
        }
        else if (now - _heardSince > Options.PingDelay.TotalMilliseconds)
        {
            _pingSince = now;
            Http2FrameWriter.WritePing(connection.Sender.Output, 0, isAnswer: false);
            connection.Sender.FlushOutsideOfLoop();
        }
    }

    private bool IsReceivingTooSlowly(long elapsed)
    {
        int bodies = 0;
        bool isAwaited = false;
        foreach (Http2Stream stream in connection.Streams.Values)
        {
            if (!stream.HasReceivedEnd && stream.Exchange.IsBodyTimed)
            {
                bodies++;
                isAwaited |= stream.Exchange.Body.IsAwaited;
            }
        }

        return _rates.IsReceivingTooSlowly(Options.RequestRate, bodies, isAwaited && connection.IsWindowOpen, elapsed);
    }

    private void Fail(Http2ErrorCode code, string reason, string errorType)
    {
        connection.Fail(Http2Fault.Connection(code, reason, errorType));
        connection.Loop.Wake();
        connection.Sender.FlushOutsideOfLoop();
    }
}
