using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>Sending: settings, answers as far as the windows allow, resets; and the streams that wait for a window.</summary>
internal sealed partial class Http2Connection
{
    // Two such frames fill a block of the output. What fits into one frame is not cut for it.
    private const int MaxDataBytes = Http2FrameHeader.DefaultMaxLength - Http2FrameHeader.SizeInBytes;

    // Bytes written before the transport is asked whether it has room.
    private const long MaxUnflushedBytes = 64 * 1024;

    // Sent bytes for which the peer may send one small window update more, for the stream or for the connection.
    private const int EarningBytes = 32;

    // Answers to control frames that may wait for a peer that does not read.
    private const int MaxQueuedControl = 500;

    private readonly HpackEncoder _encoder = new();
    private readonly HpackBuffer _encoded = new();
    private readonly LinkedList<Http2Stream> _blocked = new();
    private int _peerInitialWindow = 65_535;
    private long _sendWindow = 65_535;
    private bool _isSettingsAcknowledged;
    private bool _isFlushing;
    private bool _mustFlushAgain;
    private int _queuedControl;
    private long _unflushed;

    /// <summary>Has the reactor take over what the application has written, ended or reset. Threads: any other than the reactor's.</summary>
    internal void Post(Http2Stream stream)
    {
        if (stream.TryMarkPosted())
        {
            Reactor.EnqueueOrPool(stream, static stream => stream.Connection.TakeSubmitted(stream));
        }
    }

    /// <summary>The same for bytes that the application has read.</summary>
    internal void Credit(Http2Stream stream, int bytes)
    {
        if (Reactor.IsCurrent)
        {
            CreditStream(stream, stream.StreamId, bytes);
            FlushOutsideOfLoop();
            return;
        }

        Reactor.EnqueueOrPool(WorkItem.Of(
            stream,
            ((long)stream.StreamId << 32) | (uint)bytes,
            static (stream, credit) => stream.Connection.TakeCredit(stream, (int)(credit >> 32), (int)credit)));
    }

    private void TakeSubmitted(Http2Stream stream)
    {
        stream.ClearPosted();
        Send(stream);
        FlushOutsideOfLoop();
    }

    private void TakeCredit(Http2Stream stream, int streamId, int bytes)
    {
        CreditStream(stream, streamId, bytes);
        FlushOutsideOfLoop();
    }

    private void WriteFirstSettings()
    {
        const int DefaultWindow = 65_535;
        Http2FrameWriter.WriteSettings(
            _output,
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
            Http2FrameWriter.WriteWindowUpdate(_output, 0, Options.ConnectionWindow - DefaultWindow);
        }
    }

    /// <summary>Sends the stream's bytes, as far as the windows and the transport allow.</summary>
    private void Send(Http2Stream stream)
    {
        stream.TakeSubmitted();
        SendWhatWasTaken(stream);
    }

    /// <summary>The same for what the stream has taken already. Threads: the reactor's, in a call of the application.</summary>
    internal void SendTaken(Http2Stream stream)
    {
        stream.DropEmpty();
        SendWhatWasTaken(stream);
        FlushOutsideOfLoop();
    }

    private void SendWhatWasTaken(Http2Stream stream)
    {
        // What was submitted before a reset is sent before it, as far as the windows allow: an answer may be complete already.
        if (!stream.IsClosed && !_isClosed)
        {
            WriteAnswer(stream);
        }

        if (!stream.IsClosed && stream.IsReset(out Http2ErrorCode code) && !stream.IsWholeWaiting)
        {
            if (!_isClosed)
            {
                Reset(stream.StreamId, code);
            }

            CloseStream(stream, "The stream was reset by this side.");
        }

        ReleaseIfDone(stream);
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

        while (stream.HasData)
        {
            int most = stream.IsNextReference || stream.NextDataBytes == Http2FrameHeader.DefaultMaxLength ? Http2FrameHeader.DefaultMaxLength : MaxDataBytes;
            int bytes = (int)Math.Min(Math.Min(stream.NextDataBytes, most), Math.Min(_sendWindow, stream.SendWindow));
            if (bytes <= 0 || !HasRoom())
            {
                MarkBlocked(stream);
                stream.CompleteFlush();
                return;
            }

            bool isLast = stream.IsLastData(bytes);
            stream.WriteData(_output, bytes, isLast);
            _sendWindow -= bytes;
            stream.SendWindow -= bytes;
            _unflushed += bytes;
            _nuisance.Earn(3 + (bytes / EarningBytes));
            if (isLast)
            {
                stream.NoteEndSent();
            }
        }

        if (stream.TakeTrailers(_encoder, _encoded))
        {
            WriteBlock(stream, endsStream: true);
        }
        else if (stream.TakeBareEnd())
        {
            Http2FrameWriter.WriteData(_output, stream.StreamId, default, endsStream: true);
        }

        stream.CompleteFlush();
        if (stream.IsClosedBothWays)
        {
            Close(stream);
        }
    }

    private void WriteBlock(Http2Stream stream, bool endsStream)
    {
        Http2FrameWriter.WriteHeaders(_output, stream.StreamId, _encoded.Written, endsStream, Http2FrameHeader.DefaultMaxLength);
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
            _rates.Sending(Options.ResponseRate, stream.HasData ? stream.NextDataBytes : 0, _lastLook + LookIntervalMs);
        }
    }

    /// <summary>Gives each waiting stream a turn.</summary>
    private void SendBlocked()
    {
        for (int count = _blocked.Count; count > 0 && _blocked.First is { } place; count--)
        {
            _blocked.Remove(place);
            Send(place.Value);
        }
    }

    private void Reset(int streamId, Http2ErrorCode code)
    {
        NoteResetHere(streamId);
        Http2FrameWriter.WriteRstStream(_output, streamId, code);
    }

    /// <summary>Counts an answer that the peer caused and may not read.</summary>
    private Http2Fault CountControl()
        => _isFlushing && ++_queuedControl > MaxQueuedControl
            ? Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The peer asks for answers and does not read them.", "output_queue_size_exceeded")
            : default;

    private void FlushOutsideOfLoop()
    {
        if (!_isParsing)
        {
            Flush();
        }
    }

    private void Flush()
    {
        if (_isFlushing)
        {
            _mustFlushAgain = true;
            return;
        }

        _rates.Sending(Options.ResponseRate, _unflushed, _lastLook + LookIntervalMs);
        _unflushed = 0;

        // Written by the application's call, maybe; what waits for the transport is the runtime's.
        using ContextScope scope = Reactor.EnterRuntime();
        ValueTask<FlushResult> flush = _output.FlushAsync();
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
            _isFlushing = false;
            _queuedControl = 0;
            if (!result.IsCompleted)
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
            Http2Log.ConnectionLost(_logger, _context.ConnectionId, exception.Message);
        }
    }
}
