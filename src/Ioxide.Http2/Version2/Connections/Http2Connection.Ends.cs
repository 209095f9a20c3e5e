using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2;

/// <summary>How streams and the connection end.</summary>
internal sealed partial class Http2Connection
{
    /// <summary>The stream is over: both sides have ended it, or one has reset it.</summary>
    internal void Close(Http2Stream stream)
    {
        if (!stream.IsClosed)
        {
            stream.IsClosed = true;
            _ = Streams.Remove(stream.StreamId);
            Sender.Unblock(stream);
            Watch.RenewKeepAlive();
            if (stream.IsClosedBothWays)
            {
                Receiver.RefillReset();
            }

            EndIfStopped();
        }
    }

    /// <summary>The stream is aborted: the application is notified, and nothing more is sent.</summary>
    internal void CloseStream(Http2Stream stream, string reason, Exception? cause = null)
    {
        if (!stream.IsClosed)
        {
            Close(stream);
            CreditConnection(stream.Break(reason, cause));
        }

        ReleaseIfDone(stream);
    }

    /// <summary>The object is free again once the stream is closed and its handler has returned.</summary>
    internal void ReleaseIfDone(Http2Stream stream)
    {
        if (!stream.IsHandlerDone || stream.IsReleased)
        {
            return;
        }

        if (!stream.IsClosed && stream.HasSentEnd)
        {
            // The answer is complete, and the rest of the request is not needed (RFC 9113, section 8.1).
            if (KestrelLogger.IsEnabled(LogLevel.Information))
            {
                Http2Log.BodyLeftUnread(KestrelLogger, Context.ConnectionId, stream.Exchange.TraceIdentifier);
            }

            Reset(stream.StreamId, Http2ErrorCode.NoError);
            Close(stream);
        }

        if (stream.IsClosed)
        {
            stream.IsReleased = true;
            CreditConnection(stream.DropUnread());
            _running--;
            Pool.Return(stream);
            EndIfIdle();
        }
    }

    internal void Reset(int streamId, Http2ErrorCode code)
    {
        _resetsHere.Add(streamId);
        Http2FrameWriter.WriteRstStream(Sender.Output, streamId, code);
    }

    /// <summary>Answers a peer's violation.</summary>
    internal void Answer(in Http2Fault fault, int streamId)
    {
        if (fault.IsConnection)
        {
            Fail(fault);
            return;
        }

        Http2Log.StreamError(Logger, Context.ConnectionId, streamId, fault.Code, fault.Reason!);
        Http2Fault flood = Sender.CountControl();
        if (flood.IsNone && fault.Code != Http2ErrorCode.RefusedStream)
        {
            // As for a reset of the peer's own: the stream may have begun a handler's work. Refused streams have paid.
            flood = Receiver.PayReset();
        }

        if (!flood.IsNone)
        {
            Fail(flood);
            return;
        }

        Reset(streamId, fault.Code);
        if (Streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            CloseStream(stream, fault.Reason!);
        }
    }

    /// <summary>The connection ends with a GOAWAY that says why.</summary>
    internal void Fail(in Http2Fault fault)
    {
        if (!IsClosed)
        {
            IsClosed = true;
            NoteError(fault.ConnectionErrorType);
            Http2Log.ConnectionError(Logger, Context.ConnectionId, fault.Code, fault.Reason!);
            Http2FrameWriter.WriteGoAway(Sender.Output, _lastStreamId, fault.Code);
            if (Sender.IsFlushing)
            {
                // A peer that does not read gets no GOAWAY.
                Context.Abort(new ConnectionAbortedException(fault.Reason!));
            }
        }
    }

    /// <summary>The transport has ended, maybe under requests.</summary>
    /// <param name="cause">What reading failed with; null for an end of the stream.</param>
    internal void NoteLoss(Exception? cause = null)
    {
        _loss = cause;
        if (OpenCount > 0 && !IsClosed)
        {
            NoteError("connection_reset");
        }
    }

    /// <summary>There is nothing left to serve.</summary>
    internal void NoteEnd() => _ = _ended.TrySetResult();

    /// <summary>The server ends the connection.</summary>
    internal void StopHere()
    {
        using Lock.Scope apart = Apart();
        Stop(isPeers: false);
        Sender.FlushOutsideOfLoop();
    }

    /// <summary>
    /// The first GOAWAY names no last stream, so that requests in transit are still served. The second one names the last stream
    /// (RFC 9113, section 6.8).
    /// </summary>
    internal void Stop(bool isPeers)
    {
        if (_isStopping || IsClosed)
        {
            return;
        }

        _isStopping = true;
        if (!isPeers && OpenCount > 0)
        {
            Http2FrameWriter.WriteGoAway(Sender.Output, int.MaxValue, Http2ErrorCode.NoError);
        }

        EndIfStopped();
    }

    /// <summary>Nothing more is read. Running requests are aborted unless they may still answer.</summary>
    internal void Leave()
    {
        using Lock.Scope apart = Apart();
        HasLeft = true;
        IsClosed = true;

        // Held to the end of this call: the last stream that runs may be closed before those that wait to run.
        _running++;
        CloseAll("The connection has ended.");
        Loop.DropIncomplete();
        if (!Sender.IsFlushing)
        {
            Sender.Flush();
        }

        Watch.BeginDrain();
        if (_hasError)
        {
            // The end behind the GOAWAY waits for no handler; the connection itself stays with those that run.
            Sender.Complete(new ConnectionAbortedException("The connection has ended with an error."));
        }

        _running--;
        EndIfIdle();
    }

    /// <summary>The host stops, or the application requests the end. Threads: any.</summary>
    private void PostStop() => Reactor.EnqueueOrPool(this, static connection => connection.StopHere());

    /// <summary>The connection is gone. Threads: any.</summary>
    private void PostLost() => Reactor.EnqueueOrPool(this, static connection => connection.Lose());

    private void Lose()
    {
        using Lock.Scope apart = Apart();
        NoteLoss();
        CloseAll("The client has disconnected.");
    }

    /// <summary>Applications tell the end of a connection from that of a stream by what is inside of the exception, as with Kestrel.</summary>
    private void CloseAll(string reason)
    {
        foreach (Http2Stream stream in Streams.Values.ToArray())
        {
            CloseStream(stream, reason, new ConnectionAbortedException(reason, _loss!)); // The base class takes null.
        }
    }

    private void EndIfStopped()
    {
        if (_isStopping && OpenCount == 0 && !IsClosed)
        {
            _sentFinalGoAway = true;
            IsClosed = true;
            Http2FrameWriter.WriteGoAway(Sender.Output, _lastStreamId, Http2ErrorCode.NoError);

            // The loop sees it, and ends.
            Loop.Wake();
        }
    }

    private void EndIfIdle()
    {
        if (HasLeft && _running == 0 && !_ended.Task.IsCompleted)
        {
            Blocks.Return();
            using ContextScope scope = Reactor.EnterRuntime();
            Loop.Complete();
            if (!_hasError)
            {
                Sender.Complete();
            }

            NoteEnd();
        }
    }

    /// <summary>Why the connection ends, in Kestrel's words. The first one counts.</summary>
    private void NoteError(string type)
    {
        if (!_hasError)
        {
            // TLS on a ring ends such a connection without close_notify (KestrelTelemetry, and Leave).
            _hasError = true;
            Context.Items["ioxide.http2.error"] = type;
            Context.Features.Get<IConnectionMetricsTagsFeature>()?.Tags.Add(new("error.type", type));
        }
    }
}
