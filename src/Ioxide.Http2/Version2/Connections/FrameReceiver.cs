using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Http2;

/// <summary>Received frames: where each is allowed, and what it does.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class FrameReceiver(Http2Connection connection)
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
    private bool _hasSettings;
    private bool _isSettingsAcknowledged;

    /// <summary>Useful work was done for the peer, which needs control frames too.</summary>
    internal void Refill(int frames) => _nuisance.Refill(frames);

    /// <summary>A stream ended in order.</summary>
    internal void RefillReset() => _resets.Refill(1);

    /// <summary>Handles a frame.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its whole payload.</param>
    /// <param name="ready">A request whose fields are complete.</param>
    internal Http2Fault Handle(in Http2FrameHeader header, in ReadOnlySequence<byte> payload, out Http2Stream? ready)
    {
        ready = null;
        if (connection.Blocks.StreamId != 0 && (header.Type != Http2FrameType.Continuation || header.StreamId != connection.Blocks.StreamId))
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
            case Http2FrameType.Continuation:
                return connection.OnHeaders(header, payload, out ready);
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
                connection.Stop(isPeers: true);
                return default;
            case Http2FrameType.Priority:
                Http2Fault fault = Http2FrameReader.CheckPriority(header, payload);
                return fault.IsNone ? ChargeControlFrame() : fault;
            default:
                return ChargeControlFrame();
        }
    }

    private Http2Fault OnData(in Http2FrameHeader header, ReadOnlySequence<byte> payload)
    {
        // Padding counts too (RFC 9113, section 6.1).
        int charged = header.Length;
        if (!connection.TryCharge(charged))
        {
            return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "DATA is longer than the connection's window.");
        }

        Http2Fault fault = Http2FrameReader.Unpad(header, ref payload);
        if (!fault.IsNone)
        {
            return fault;
        }

        bool isEnd = header.Has(Http2FrameFlags.EndStream);
        if (payload.Length == 0 && !isEnd)
        {
            fault = ChargeControlFrame();
            if (!fault.IsNone)
            {
                return fault;
            }
        }

        if (!connection.Streams.TryGetValue(header.StreamId, out Http2Stream? stream) || stream.HasReceivedEnd)
        {
            connection.CreditConnection(charged);
            return OnFrameOfClosed(header.StreamId, stream);
        }

        connection.Watch.NoteReceived((int)payload.Length);
        fault = stream.OnData(payload, charged, isEnd);
        if (!fault.IsNone)
        {
            return fault;
        }

        if (stream.IsClosedBothWays)
        {
            connection.Close(stream);
        }

        return default;
    }

    /// <summary>DATA or WINDOW_UPDATE for a stream that accepts no more.</summary>
    private Http2Fault OnFrameOfClosed(int streamId, Http2Stream? stream)
    {
        if (connection.IsIdle(streamId))
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "A frame names a stream that was never opened.", "invalid_stream_id");
        }

        // The peer may not yet know that this side has reset it.
        if (stream is null && connection.WasResetHere(streamId))
        {
            return default;
        }

        Http2Fault flood = ChargeControlFrame();
        return flood.IsNone ? Http2Fault.Stream(Http2ErrorCode.StreamClosed, "DATA came for a stream that the peer had ended.") : flood;
    }

    private Http2Fault OnWindowUpdate(int streamId, int increment)
    {
        if (increment == 0)
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "WINDOW_UPDATE has no increment.", "invalid_window_update_size");
        }

        Http2Fault fault = increment < FreeIncrement ? ChargeControlFrame() : default;
        if (!fault.IsNone)
        {
            return fault;
        }

        if (streamId == 0)
        {
            return connection.Sender.TryWiden(increment)
                ? default
                : Http2Fault.Connection(
                    Http2ErrorCode.FlowControlError, "The connection's window is larger than 2^31 - 1.", "invalid_window_update_size");
        }

        if (!connection.Streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            return connection.IsIdle(streamId)
                ? Http2Fault.Connection(Http2ErrorCode.ProtocolError, "WINDOW_UPDATE names a stream that was never opened.", "invalid_stream_id")
                : default;
        }

        if (stream.SendWindow + increment > int.MaxValue)
        {
            return Http2Fault.Stream(Http2ErrorCode.FlowControlError, "A stream's window is larger than 2^31 - 1.");
        }

        stream.SendWindow += increment;
        connection.Sender.Send(stream);
        return default;
    }

    private Http2Fault OnRstStream(int streamId)
    {
        if (connection.IsIdle(streamId))
        {
            return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "RST_STREAM names a stream that was never opened.", "invalid_stream_id");
        }

        Http2Fault fault = PayReset();
        if (!fault.IsNone)
        {
            return fault;
        }

        if (connection.Streams.TryGetValue(streamId, out Http2Stream? stream))
        {
            connection.CloseStream(stream, "The client reset the request stream.");
        }

        return default;
    }

    private Http2Fault OnSettings(in ReadOnlySequence<byte> payload)
    {
        _hasSettings = true;
        Http2Fault fault = ChargeControlFrame();
        Span<byte> setting = stackalloc byte[Http2FrameWriter.SettingBytes];
        int initialWindow = connection.Sender.InitialWindow;
        for (long offset = 0; fault.IsNone && offset < payload.Length; offset += setting.Length)
        {
            payload.Slice(offset, setting.Length).CopyTo(setting);
            var id = (Http2SettingId)BinaryPrimitives.ReadUInt16BigEndian(setting);
            fault = Apply(id, BinaryPrimitives.ReadUInt32BigEndian(setting[2..]), ref initialWindow);
        }

        // Once per frame, which can name it 2,730 times: it visits every stream.
        if (fault.IsNone && initialWindow != connection.Sender.InitialWindow)
        {
            fault = connection.Sender.ChangeWindows(initialWindow);
        }

        if (fault.IsNone)
        {
            fault = connection.Sender.CountControl();
        }

        if (fault.IsNone)
        {
            Http2FrameWriter.WriteSettingsAcknowledged(connection.Sender.Output);
            connection.Sender.SendBlocked();
        }

        return fault;
    }

    private Http2Fault Apply(Http2SettingId id, uint value, ref int initialWindow)
    {
        switch (id)
        {
            case Http2SettingId.HeaderTableSize:
                connection.Sender.AllowTable(connection.Options.CompressesFields ? value : 0);
                return default;
            case Http2SettingId.EnablePush when value > 1:
                return Http2Fault.Connection(Http2ErrorCode.ProtocolError, "SETTINGS_ENABLE_PUSH is neither 0 nor 1.", "invalid_settings");
            case Http2SettingId.InitialWindowSize when value > int.MaxValue:
                return Http2Fault.Connection(Http2ErrorCode.FlowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1.", "invalid_settings");
            case Http2SettingId.InitialWindowSize:
                initialWindow = (int)value;
                return default;
            case Http2SettingId.MaxFrameSize when value is < Http2FrameHeader.DefaultMaxLength or > Http2FrameHeader.LargestMaxLength:
                return Http2Fault.Connection(
                    Http2ErrorCode.ProtocolError, "SETTINGS_MAX_FRAME_SIZE is not from 2^14 to 2^24 - 1.", "invalid_settings");
            default:
                // Every peer accepts frames of the default size, and the other settings require nothing of a server.
                return default;
        }
    }

    private Http2Fault OnSettingsAcknowledged()
    {
        if (!_isSettingsAcknowledged)
        {
            _isSettingsAcknowledged = true;
            connection.Blocks.AllowTable();
            return default;
        }

        return ChargeControlFrame();
    }

    private Http2Fault OnPing(in Http2FrameHeader header, in ReadOnlySequence<byte> payload)
    {
        Http2Fault fault = ChargeControlFrame();
        connection.Watch.RenewKeepAlive();
        if (!fault.IsNone || header.IsAnswer)
        {
            return fault;
        }

        fault = connection.Sender.CountControl();
        if (fault.IsNone)
        {
            Span<byte> content = stackalloc byte[8];
            payload.CopyTo(content);
            Http2FrameWriter.WritePing(connection.Sender.Output, BinaryPrimitives.ReadUInt64BigEndian(content), isAnswer: true);
        }

        return fault;
    }

    internal Http2Fault ChargeControlFrame()
        => _nuisance.TryPay() ? default
            : Http2Fault.Connection(Http2ErrorCode.EnhanceYourCalm, "The peer sends too many frames that serve no request.");

    internal Http2Fault PayReset()
        => _resets.TryPay()
            ? default
            : Http2Fault.Connection(
                Http2ErrorCode.EnhanceYourCalm, "The peer resets streams too often, or has them reset.", "stream_reset_limit_exceeded");

    private static uint ReadUInt32(in ReadOnlySequence<byte> payload)
    {
        Span<byte> bytes = stackalloc byte[4];
        payload.CopyTo(bytes);
        return BinaryPrimitives.ReadUInt32BigEndian(bytes);
    }
}
