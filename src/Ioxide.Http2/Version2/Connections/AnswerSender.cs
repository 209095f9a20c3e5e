using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>
/// Sends a connection's settings, and its answers as far as the windows and the transport allow; and knows the streams that wait for them.
/// </summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class AnswerSender(Http2Connection connection, PipeWriter output)
{
    private const int DefaultWindow = 65_535;

    // Two such frames fill a block of the output. What fits into whole frames is not cut for it.
    private const int MaxDataBytes = Http2FrameHeader.DefaultMaxLength - Http2FrameHeader.SizeInBytes;

    // Bytes written before the transport is asked whether it has room.
    private const long MaxUnflushedBytes = 64 * 1024;

    // Sent bytes for which the peer may send one small window update more, for the stream or for the connection.
    private const int DataBytesPerControlFrame = 32;

    // Answers to control frames that may wait for a peer that does not read.
    private const int MaxQueuedControl = 500;

    private readonly HpackEncoder _encoder = new();
    private readonly HpackBuffer _encoded = new();
    private readonly LinkedList<Http2Stream> _blocked = new();
    private long _window = DefaultWindow;
    private bool _isFlushing;
    private bool _mustFlushAgain;
    private bool _isCompleted;
    private int _queuedControl;
    private long _unflushed;

    internal PipeWriter Output => output;

    /// <summary>The window of a stream that the peer opens.</summary>
    internal int InitialWindow { get; private set; } = DefaultWindow;

    /// <summary>A write to the transport has not ended.</summary>
    internal bool IsFlushing => _isFlushing;

    /// <summary>Answers wait for a window, or for the peer.</summary>
    internal bool IsWaiting => _isFlushing || _blocked.Count > 0;

    /// <summary>Bytes behind the last flush, with those of frames that answer no request.</summary>
    internal long WrittenBytes => output.CanGetUnflushedBytes ? output.UnflushedBytes : _unflushed;

    private Http2Options Options => connection.Options;

    internal void WriteFirstSettings()
    {
        Http2FrameWriter.WriteSettings(
            output,
            [
                (Http2SettingId.HeaderTableSize, (uint)Options.HeaderTableBytes),
                (Http2SettingId.MaxConcurrentStreams, (uint)Options.MaxStreams),
                (Http2SettingId.InitialWindowSize, (uint)Options.StreamWindow),
                (Http2SettingId.MaxFrameSize, (uint)Options.MaxFrameBytes),
                (Http2SettingId.MaxHeaderListSize, (uint)Options.MaxHeaderBytes),
                (Http2SettingId.EnableConnectProtocol, 1),
            ]);
        if (Options.ConnectionWindow > DefaultWindow)
        {
            Http2FrameWriter.WriteWindowUpdate(output, 0, Options.ConnectionWindow - DefaultWindow);
        }
    }

    /// <summary>Sends the stream's bytes, as far as the windows and the transport allow.</summary>
    internal void Send(Http2Stream stream)
    {
        stream.TakeSubmitted();
        SendWhatWasTaken(stream);
    }

    /// <summary>The same for what the stream has taken already, with a flush where none follows.</summary>
    internal void SendTaken(Http2Stream stream)
    {
        SendWhatWasTaken(stream);
        FlushOutsideOfLoop();
    }

    private void SendWhatWasTaken(Http2Stream stream)
    {
        // What was submitted before a reset is sent before it, as far as the windows allow: an answer may be complete already.
        if (stream.IsClosed)
        {
            stream.Bytes.DropReady();
        }
        else if (!connection.IsClosed)
        {
            try
            {
                WriteAnswer(stream);
            }
            catch (Exception exception) when (Options.ResponseEncodings is not null)
            {
                // What chooses the encodings of fields threw, and the encoder's table has fields that the peer does not get.
                stream.Exchange.LogError(exception);
                connection.Fail(Http2Fault.Connection(
                    Http2ErrorCode.InternalError, "ResponseHeaderEncodingSelector failed while fields were written.", "error_writing_headers"));
                connection.Loop.Wake();
            }
        }

        if (!stream.IsClosed && stream.IsReset(out Http2ErrorCode code) && !stream.IsWholeWaiting)
        {
            if (!connection.IsClosed)
            {
                connection.Reset(stream.StreamId, code);
            }

            connection.CloseStream(stream, "The stream was reset by this side.");
        }

        connection.ReleaseIfDone(stream);
    }

    private void WriteAnswer(Http2Stream stream)
    {
        if (stream.TakeContinue())
        {
            _encoded.Clear();
            _encoder.Begin(_encoded);
            HpackEncoder.WriteStatus(_encoded, 100);
            WriteBlock(stream, endsStream: false);
        }

        if (stream.HasHead && !HasRoom())
        {
            MarkBlocked(stream);
            stream.CompleteFlush();
            return;
        }

        if (stream.TakeHead(_encoder, _encoded, out bool endsStream))
        {
            WriteBlock(stream, endsStream);
        }

        while (stream.Bytes.NextBytes(out bool isReference) is not 0 and int next)
        {
            int most = isReference || next % Http2FrameHeader.DefaultMaxLength == 0 ? Http2FrameHeader.DefaultMaxLength : MaxDataBytes;
            int bytes = (int)Math.Min(Math.Min(next, most), Math.Min(_window, stream.SendWindow));
            if (bytes <= 0 || !HasRoom())
            {
                MarkBlocked(stream);
                stream.CompleteFlush();
                return;
            }

            bool isLast = stream.IsLastData(bytes);
            stream.Bytes.Send(output, stream.StreamId, bytes, isLast);
            _window -= bytes;
            stream.SendWindow -= bytes;
            _unflushed += bytes;
            connection.Receiver.Refill(3 + (bytes / DataBytesPerControlFrame));
            if (isLast)
            {
                stream.NoteEndSent();
            }
        }

        // An update of its own window may have come before its turn.
        Unblock(stream);
        if (stream.TakeTrailers(_encoder, _encoded))
        {
            WriteBlock(stream, endsStream: true);
        }
        else if (stream.TakeBareEnd())
        {
            Http2FrameWriter.WriteData(output, stream.StreamId, default, endsStream: true);
        }

        stream.CompleteFlush();
        if (stream.IsClosedBothWays)
        {
            connection.Close(stream);
        }
    }

    private void WriteBlock(Http2Stream stream, bool endsStream)
    {
        Http2FrameWriter.WriteHeaders(output, stream.StreamId, _encoded.Written, endsStream, Http2FrameHeader.DefaultMaxLength);
        _unflushed += _encoded.Length;
        if (endsStream)
        {
            stream.NoteEndSent();
        }
    }

    private bool HasRoom()
    {
        if (_unflushed >= MaxUnflushedBytes)
        {
            Flush();
        }

        return !_isFlushing || _unflushed < MaxUnflushedBytes;
    }

    private void MarkBlocked(Http2Stream stream)
    {
        if (!stream.IsBlocked && (stream.HasData || stream.HasHead))
        {
            _blocked.AddLast(stream.Place);
            connection.Watch.NoteSending(0);
        }
    }

    /// <summary>The stream waits for nothing any more.</summary>
    internal void Unblock(Http2Stream stream)
    {
        if (stream.IsBlocked)
        {
            _blocked.Remove(stream.Place);
        }
    }

    /// <summary>The peer's SETTINGS_HEADER_TABLE_SIZE.</summary>
    internal void AllowTable(uint bytes) => _encoder.Allow(bytes);

    /// <summary>The peer's WINDOW_UPDATE for the connection. False if the window is too large then.</summary>
    internal bool TryWiden(int increment)
    {
        if (_window + increment > int.MaxValue)
        {
            return false;
        }

        // While it was open, streams waited for something else.
        bool wasShut = _window <= 0;
        _window += increment;
        if (wasShut)
        {
            SendBlocked();
        }

        return true;
    }

    /// <summary>The peer's setting changes the windows of open streams, which may become negative (RFC 9113, section 6.9.2).</summary>
    internal Http2Fault ChangeWindows(int initialWindow)
    {
        long change = (long)initialWindow - InitialWindow;
        InitialWindow = initialWindow;
        foreach (Http2Stream stream in connection.Streams.Values)
        {
            stream.SendWindow += change;
            if (stream.SendWindow > int.MaxValue)
            {
                return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "A stream's window is larger than 2^31 - 1.", "invalid_settings");
            }

            MarkBlocked(stream);
        }

        return default;
    }

    /// <summary>Gives each waiting stream a turn.</summary>
    internal void SendBlocked()
    {
        for (int count = _blocked.Count; count > 0 && _blocked.First is { } place; count--)
        {
            _blocked.Remove(place);
            Send(place.Value);
        }
    }

    /// <summary>Counts an answer that the peer caused and may not read.</summary>
    internal Http2Fault CountControl()
        => _isFlushing && ++_queuedControl > MaxQueuedControl
            ? Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The peer asks for answers and does not read them.", "output_queue_size_exceeded")
            : default;

    internal void FlushOutsideOfLoop()
    {
        if (!connection.Loop.IsParsing)
        {
            Flush();
        }
    }

    /// <summary>Nothing more is written. What was flushed is sent, then FIN.</summary>
    /// <param name="error">If not null, TLS on a ring does not say that this is an end in order.</param>
    internal void Complete(Exception? error = null)
    {
        _isCompleted = true;
        using ContextScope scope = connection.Reactor.EnterRuntime();
        output.Complete(error);
    }

    internal void Flush()
    {
        if (_isCompleted)
        {
            return;
        }

        if (_isFlushing)
        {
            _mustFlushAgain = true;
            return;
        }

        // The loop flushes before each read: one of nothing is no write, for which a client has its time.
        if (WrittenBytes is > 0 and long written)
        {
            connection.Watch.NoteSending(written);
        }

        _unflushed = 0;

        // Written by the application's call, maybe; what waits for the transport is the runtime's.
        using ContextScope scope = connection.Reactor.EnterRuntime();
        ValueTask<FlushResult> flush = output.FlushAsync();
        if (flush.IsCompletedSuccessfully)
        {
            _ = flush.Result;
            return;
        }

        _isFlushing = true;
        _ = EndFlushAsync(flush);
    }

    private async Task EndFlushAsync(ValueTask<FlushResult> flush)
    {
        try
        {
            FlushResult result = await flush.ConfigureAwait(true);
            using Lock.Scope apart = connection.Apart();
            _isFlushing = false;
            _queuedControl = 0;

            // A stream in front of the ring says nothing of the reactor's end.
            if (!result.IsCompleted && !connection.Reactor.HasEnded)
            {
                if (_mustFlushAgain)
                {
                    _mustFlushAgain = false;
                    Flush();
                }

                SendBlocked();
                FlushOutsideOfLoop();
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or InvalidOperationException)
        {
            // The reader gets the error too, and ends the connection.
            _isFlushing = false;
            Http2Log.ConnectionLost(connection.Logger, connection.Context.ConnectionId, exception.Message);
        }
    }
}
