using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Http2;

/// <summary>Received frames: where each is allowed, and what it does.</summary>
internal sealed partial class Http2Connection
{
    // Budget for pings, settings and frames without use: this many at once, and this many per second.
    private const int NuisanceBudget = 1000;
    private const int NuisancePerSecond = 100;

    // A window update of as many bytes costs nothing: the windows' limit of 2^31 - 1 bounds how many serve no request.
    private const int FreeIncrement = 4096;

    // Budget for streams that the peer reset, or had this side reset by a fault.
    private const int ResetBudget = 500;
    private const int ResetsPerSecond = 100;

    private FloodGuard _nuisance = new(NuisanceBudget, NuisancePerSecond);
    private FloodGuard _resets = new(ResetBudget, ResetsPerSecond);
    private long _receiveLeft;
    private long _connectionCredit;
    private int _lastStreamId;

    private Http2Fault Handle(in Http2FrameHeader header, in ReadOnlySequence<byte> payload, out Http2Stream? ready)
    {
        ready = null;
        if (_blockStreamId != 0 && (header.Type != Http2FrameType.Continuation || header.StreamId != _blockStreamId))
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "Another frame stands inside a header block.");
        }

        if (!_hasSettings && header is not { Type: Http2FrameType.Settings, Flags: Http2FrameFlags.None })
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "The first frame is not SETTINGS (RFC 9113, section 3.4).");
        }

        switch (header.Type)
        {
            case Http2FrameType.Headers:
                return OnHeaders(header, payload, out ready);
            case Http2FrameType.Continuation:
                return OnContinuation(header, payload, out ready);
            case Http2FrameType.Data:
                return OnData(header, payload);
            case Http2FrameType.WindowUpdate:
                return OnWindowUpdate(header.StreamId, (int)(ReadUInt32(payload) & int.MaxValue));
            case Http2FrameType.RstStream:
                return OnRstStream(header.StreamId);
            case Http2FrameType.Settings:
                return header.IsAnswer ? OnSettingsAcknowledged() : OnSettings(payload);
            case Http2FrameType.Ping:
                return OnPing(header, payload);
            case Http2FrameType.GoAway:
                Stop(isPeers: true);
                return default;
            case Http2FrameType.Priority:
                Http2Fault fault = Http2FrameReader.CheckPriority(header, payload);
                return fault.IsNone ? PayNuisance() : fault;
            default:
                return PayNuisance();
        }
    }

    private Http2Fault OnData(in Http2FrameHeader header, ReadOnlySequence<byte> payload)
    {
        // Padding counts too (RFC 9113, section 6.1).
        int charged = header.Length;
        if (charged > _receiveLeft)
        {
            return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "DATA is longer than the connection's window.");
        }

        _receiveLeft -= charged;
        Http2Fault fault = Http2FrameReader.Unpad(header, ref payload);
        if (!fault.IsNone)
        {
            return fault;
        }

        bool isEnd = header.Has(Http2FrameFlags.EndStream);
        if (payload.Length == 0 && !isEnd)
        {
            fault = PayNuisance();
            if (!fault.IsNone)
            {
                return fault;
            }
        }

        if (!_streams.TryGetValue(header.StreamId, out Http2Stream? stream) || stream.HasReceivedEnd)
        {
            CreditConnection(charged);
            return OnFrameOfClosed(header.StreamId, stream);
        }

        _rates.Received((int)payload.Length);
        fault = stream.OnData(payload, charged, isEnd);
        if (!fault.IsNone)
        {
            return fault;
        }

        if (stream.IsClosedBothWays)
        {
            Close(stream);
        }

        return default;
    }

    /// <summary>DATA or WINDOW_UPDATE for a stream that accepts no more.</summary>
    private Http2Fault OnFrameOfClosed(int streamId, Http2Stream? stream)
    {
        if (IsIdle(streamId))
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A frame names a stream that was never opened.", "invalid_stream_id");
        }

        // The peer may not yet know that this side has reset it.
        if (stream is null && WasResetHere(streamId))
        {
            return default;
        }

        Http2Fault flood = PayNuisance();
        return flood.IsNone ? Http2Fault.Stream(Http2ErrorCode.StreamClosed, "DATA came for a stream that the peer had ended.") : flood;
    }

    private Http2Fault OnWindowUpdate(int streamId, int increment)
    {
        if (increment == 0)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "WINDOW_UPDATE has no increment.", "invalid_window_update_size");
        }

        Http2Fault fault = increment < FreeIncrement ? PayNuisance() : default;
        if (!fault.IsNone)
        {
            return fault;
        }

        if (streamId == 0)
        {
            if (_sendWindow + increment > int.MaxValue)
            {
                return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "The connection's window is larger than 2^31 - 1.", "invalid_window_update_size");
            }

            // While it was open, streams waited for something else.
            bool wasShut = _sendWindow <= 0;
            _sendWindow += increment;
            if (wasShut)
            {
                SendBlocked();
            }

            return default;
        }

        if (!_streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            return IsIdle(streamId)
                ? Http2Fault.Connection(Http2ErrorCode.ProtocolError, "WINDOW_UPDATE names a stream that was never opened.", "invalid_stream_id")
                : default;
        }

        if (stream.SendWindow + increment > int.MaxValue)
        {
            return Http2Fault.Stream(Http2ErrorCode.FlowControlError, "A stream's window is larger than 2^31 - 1.");
        }

        stream.SendWindow += increment;
        Send(stream);
        return default;
    }

    private Http2Fault OnRstStream(int streamId)
    {
        if (IsIdle(streamId))
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "RST_STREAM names a stream that was never opened.", "invalid_stream_id");
        }

        Http2Fault fault = PayReset();
        if (!fault.IsNone)
        {
            return fault;
        }

        if (_streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            CloseStream(stream, "The client reset the request stream.");
        }

        return default;
    }

    private Http2Fault OnSettings(in ReadOnlySequence<byte> payload)
    {
        _hasSettings = true;
        Http2Fault fault = PayNuisance();
        Span<byte> setting = stackalloc byte[Http2FrameWriter.SettingBytes];
        for (long offset = 0; fault.IsNone && offset < payload.Length; offset += setting.Length)
        {
            payload.Slice(offset, setting.Length).CopyTo(setting);
            fault = Apply((Http2SettingId)BinaryPrimitives.ReadUInt16BigEndian(setting), BinaryPrimitives.ReadUInt32BigEndian(setting[2..]));
        }

        if (fault.IsNone)
        {
            fault = CountControl();
        }

        if (fault.IsNone)
        {
            Http2FrameWriter.WriteSettingsAcknowledged(_output);
            SendBlocked();
        }

        return fault;
    }

    private Http2Fault Apply(Http2SettingId id, uint value)
    {
        switch (id)
        {
            case Http2SettingId.HeaderTableSize:
                _encoder.Allow(Options.CompressesFields ? value : 0);
                return default;
            case Http2SettingId.EnablePush when value > 1:
                return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "SETTINGS_ENABLE_PUSH is neither 0 nor 1.", "invalid_settings");
            case Http2SettingId.InitialWindowSize when value > int.MaxValue:
                return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1.", "invalid_settings");
            case Http2SettingId.InitialWindowSize:
                return ChangeWindows((int)value);
            case Http2SettingId.MaxFrameSize when value is < Http2FrameHeader.DefaultMaxLength or > Http2FrameHeader.LargestMaxLength:
                return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "SETTINGS_MAX_FRAME_SIZE is not from 2^14 to 2^24 - 1.", "invalid_settings");
            default:
                // Every peer accepts frames of the default size, and the other settings require nothing of a server.
                return default;
        }
    }

    /// <summary>The setting changes the initial windows of open streams, which may become negative (RFC 9113, section 6.9.2).</summary>
    private Http2Fault ChangeWindows(int initialWindow)
    {
        long change = (long)initialWindow - _peerInitialWindow;
        _peerInitialWindow = initialWindow;
        foreach (Http2Stream stream in _streams.Values)
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

    private Http2Fault OnSettingsAcknowledged()
    {
        if (!_isSettingsAcknowledged)
        {
            _isSettingsAcknowledged = true;
            _decoder.Allow(Options.HeaderTableBytes);
            return default;
        }

        return PayNuisance();
    }

    private Http2Fault OnPing(in Http2FrameHeader header, in ReadOnlySequence<byte> payload)
    {
        Http2Fault fault = PayNuisance();
        if (!fault.IsNone || header.IsAnswer)
        {
            return fault;
        }

        fault = CountControl();
        if (fault.IsNone)
        {
            Span<byte> content = stackalloc byte[8];
            payload.CopyTo(content);
            Http2FrameWriter.WritePing(_output, BinaryPrimitives.ReadUInt64BigEndian(content), isAnswer: true);
        }

        return fault;
    }

    private Http2Fault PayNuisance()
        => _nuisance.TryPay() ? default : Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The peer sends too many frames that serve no request.");

    private Http2Fault PayReset()
        => _resets.TryPay()
            ? default
            : Http2Fault.Connection(
                Http2ErrorCode.EnhanceYourCalm, "The peer resets streams too often, or has them reset.", "stream_reset_limit_exceeded");

    private bool IsIdle(int streamId) => streamId > _lastStreamId || (streamId & 1) == 0;

    private static uint ReadUInt32(in ReadOnlySequence<byte> payload)
    {
        Span<byte> bytes = stackalloc byte[4];
        payload.CopyTo(bytes);
        return BinaryPrimitives.ReadUInt32BigEndian(bytes);
    }
}
