using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Ioxide.Http2;

/// <summary>How streams and the connection end, and how window credit is returned.</summary>
internal sealed partial class Http2Connection
{
    // Streams that this side has reset, possibly unknown to the peer; further frames for them are dropped.
    private const int MaxRememberedResets = 512;

    private readonly Queue<int> _resetsHere = new();
    private readonly HashSet<int> _wasResetHere = [];
    private bool _isStopping;
    private bool _hasError;
    private bool _isLastTold;

    /// <summary>The stream is over: both sides have ended it, or one has reset it.</summary>
    private void Close(Http2Stream stream)
    {
        if (!stream.IsClosed)
        {
            stream.IsClosed = true;
            _open--;
            _ = _streams.Remove(stream.StreamId);
            if (stream.IsBlocked)
            {
                // An update of its own window may have closed it before its turn.
                _blocked.Remove(stream.Place);
            }

            _idleSince = UntilNextLook;
            if (stream.IsClosedBothWays)
            {
                _resets.Earn(1);
            }

            EndIfStopped();
        }
    }

    /// <summary>The stream is aborted: the application is notified, and nothing more is sent.</summary>
    private void CloseStream(Http2Stream stream, string reason)
    {
        if (!stream.IsClosed)
        {
            Close(stream);
            CreditConnection(stream.Break(reason));
        }

        ReleaseIfDone(stream);
    }

    private void ReleaseIfDone(Http2Stream stream)
    {
        if (!stream.IsHandlerDone || stream.IsReleased)
        {
            return;
        }

        if (!stream.IsClosed && stream.HasSentEnd)
        {
            // The answer is complete, and the rest of the request is not needed (RFC 9113, section 8.1).
            Reset(stream.StreamId, Http2ErrorCode.NoError);
            Close(stream);
        }

        if (stream.IsClosed)
        {
            stream.IsReleased = true;
            CreditConnection(stream.DropUnread());
            _running--;
            ReturnStream(stream);
            EndIfIdle();
        }
    }

    private void CreditStream(Http2Stream stream, int streamId, int bytes)
    {
        if (stream.StreamId != streamId || stream.IsReleased)
        {
            // It was returned when the stream ended.
            return;
        }

        (int increment, int freed) = stream.TakeCredit(bytes);
        CreditConnection(freed);
        if (increment > 0 && !_isClosed)
        {
            Http2FrameWriter.WriteWindowUpdate(_output, streamId, increment);
        }
    }

    /// <summary>Bytes of the connection's window are free again; the peer is credited once they are half of it.</summary>
    private void CreditConnection(int bytes)
    {
        _connectionCredit += bytes;
        if (_connectionCredit >= Math.Max(1, Options.ConnectionWindow / 2) && !_isClosed)
        {
            Http2FrameWriter.WriteWindowUpdate(_output, 0, (int)_connectionCredit);
            _receiveLeft += _connectionCredit;
            _connectionCredit = 0;
        }
    }

    private void Answer(in Http2Fault fault, int streamId)
    {
        if (fault.IsConnection)
        {
            Fail(fault);
            return;
        }

        Http2Log.StreamError(_logger, _context.ConnectionId, streamId, fault.Code, fault.Reason!);
        Http2Fault flood = CountControl();
        if (flood.IsNone && fault.Code != Http2ErrorCode.RefusedStream)
        {
            // As for a reset of the peer's own: the stream may have begun a handler's work. Refused streams have paid.
            flood = PayReset();
        }

        if (!flood.IsNone)
        {
            Fail(flood);
            return;
        }

        Reset(streamId, fault.Code);
        if (_streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            CloseStream(stream, fault.Reason!);
        }
    }

    private void Fail(in Http2Fault fault)
    {
        if (!_isClosed)
        {
            _isClosed = true;
            NoteError(fault.ConnectionErrorType);
            Http2Log.ConnectionError(_logger, _context.ConnectionId, fault.Code, fault.Reason!);
            Http2FrameWriter.WriteGoAway(_output, _lastStreamId, fault.Code);
            if (_isFlushing)
            {
                // A peer that does not read gets no GOAWAY.
                _context.Abort(new ConnectionAbortedException(fault.Reason!));
            }
        }
    }

    private void NoteLoss()
    {
        if (_open > 0 && !_isClosed)
        {
            NoteError("connection_reset");
        }
    }

    /// <summary>Why the connection ends, in Kestrel's words. The first one counts.</summary>
    private void NoteError(string type)
    {
        if (!_hasError)
        {
            // TLS on a ring ends such a connection without close_notify (KestrelTelemetry).
            _hasError = true;
            _context.Items["ioxide.http2.error"] = type;
            _context.Features.Get<IConnectionMetricsTagsFeature>()?.Tags.Add(new("error.type", type));
        }
    }

    /// <summary>The host stops, or the application requests the end. Threads: any.</summary>
    private void PostStop()
        => Reactor.EnqueueOrPool(this, static connection => connection.StopHere());

    /// <summary>The connection is gone. Threads: any.</summary>
    private void PostLost()
        => Reactor.EnqueueOrPool(this, static connection => connection.Lose());

    private void Lose()
    {
        NoteLoss();
        foreach (Http2Stream stream in _streams.Values.ToArray())
        {
            CloseStream(stream, "The client has disconnected.");
        }
    }

    private void StopHere()
    {
        Stop(isPeers: false);
        FlushOutsideOfLoop();
    }

    /// <summary>
    /// The first GOAWAY names no last stream, so that requests in transit are still served. The second one names the last stream
    /// (RFC 9113, section 6.8).
    /// </summary>
    private void Stop(bool isPeers)
    {
        if (_isStopping || _isClosed)
        {
            return;
        }

        _isStopping = true;
        if (!isPeers && _open > 0)
        {
            Http2FrameWriter.WriteGoAway(_output, int.MaxValue, Http2ErrorCode.NoError);
        }

        EndIfStopped();
    }

    private void EndIfStopped()
    {
        if (_isStopping && _open == 0 && !_isClosed)
        {
            _isLastTold = true;
            _isClosed = true;
            Http2FrameWriter.WriteGoAway(_output, _lastStreamId, Http2ErrorCode.NoError);

            // Wakes the loop, which then ends.
            _input.CancelPendingRead();
        }
    }

    private void NoteResetHere(int streamId)
    {
        if (_wasResetHere.Add(streamId))
        {
            _resetsHere.Enqueue(streamId);
            if (_resetsHere.Count > MaxRememberedResets)
            {
                _ = _wasResetHere.Remove(_resetsHere.Dequeue());
            }
        }
    }

    private bool WasResetHere(int streamId) => _wasResetHere.Contains(streamId);
}
