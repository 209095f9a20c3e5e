using System.Globalization;
using System.Buffers.Binary;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>What the server says, and whether it may.</summary>
internal sealed partial class Http2Peer
{
    private readonly List<byte> _heard = [];
    private readonly HpackDecoder _decoder = new(4096, 1 << 16);
    private readonly List<byte> _block = [];
    private Http2FrameHeader _blockHead;

    // Bytes that the server may send, and that it was not credited for.
    private long _connectionWindow;
    private int _connectionOwed;

    // Bytes that the peer may send.
    private long _sendWindow = DefaultWindow;
    private int _serverWindow;
    private Action? _shrink;
    private bool _hasChangedWindows;
    private int _acknowledgements;
    private bool _hasSettings;
    private bool _isServerEnding;
    private bool _hasSeenEnd;

    // The last stream that is served; int.MaxValue behind the peer's own GOAWAY.
    private int? _goAway;

    private bool _wasReset;

    public void BytesSent(ReadOnlySpan<byte> bytes)
    {
        _heard.AddRange(bytes);
        byte[] all = [.. _heard];
        int start = 0;
        while (all.Length - start >= Http2FrameHeader.SizeInBytes)
        {
            Http2FrameHeader header = Http2FrameHeader.Read(all.AsSpan(start));
            int end = start + Http2FrameHeader.SizeInBytes + header.Length;
            if (end > all.Length)
            {
                break;
            }

            Hear(header, all.AsSpan(start + Http2FrameHeader.SizeInBytes, header.Length));
            start = end;
        }

        _heard.RemoveRange(0, start);
        ScheduleRead();
    }

    public void FinSent()
    {
        _hasSeenEnd = true;
        if (_heard.Count > 0 && !_world.IsCutShort)
        {
            Violate("the server ended in the middle of a frame");
        }

        if (HasFinished)
        {
            BeOver();
        }
        else
        {
            _world.Schedule(Finish);
        }
    }

    public void WasReset(int lostBytes)
    {
        _wasReset = true;
        BeOver();
    }

    /// <summary>At the end: every request has the answer that the seed gave it.</summary>
    internal void CheckAnswers()
    {
        if (HasLeft || _world.IsCutShort)
        {
            return;
        }

        foreach (Exchange exchange in Exchanges.Where(static exchange => exchange is { StreamId: not 0, HasReset: false }))
        {
            bool isUnserved = exchange.StreamId > (_lastServed ?? int.MaxValue) || (exchange.ServerReset == Http2ErrorCode.RefusedStream && HasReset);
            if (!isUnserved && Fault(exchange) is { } fault)
            {
                Violate($"{exchange}: {fault}");
            }
        }
    }

    public override string ToString()
        => $"peer {Port} ({_opened} of {Exchanges.Length} opened, break {_breakOff} at {_breaksAtAct} of {_acts}{(HasFinished ? ", finished" : "")}{(_hasSeenEnd ? ", saw the end" : "")}"
            + $"{(_wasReset ? ", was reset" : "")}{(IsOver ? ", over" : "")}; GOAWAY {_goAway}, window {_connectionWindow}, owed {_connectionOwed}, may send {_sendWindow}, "
            + $"{_outbox.Waiting} wait, {Socket?.Available} to receive, {Socket?.Queued} unread; "
            + $"{string.Join("; ", Exchanges.Where(static exchange => exchange.StreamId != 0 && !exchange.IsOver))})";

    private static string? Fault(Exchange exchange)
    {
        if (exchange.AnswerEnd is AnswerEnd.Resets or AnswerEnd.ThrowsLate)
        {
            Http2ErrorCode wanted = exchange.AnswerEnd == AnswerEnd.Resets ? Http2ErrorCode.Cancel : Http2ErrorCode.InternalError;
            return exchange.ServerReset == wanted ? null : $"it was to be reset with {wanted}";
        }

        bool isWhole = exchange.AnswerEnd == AnswerEnd.Whole;
        return !exchange.HasEnd ? "its answer has no end"
            : exchange.Status != (isWhole ? 200 : 500) ? "the status is another"
            : exchange.Received != (isWhole ? exchange.AnswerBytes : 0) ? "bytes of the answer are missing"
            : isWhole && exchange.AnswersTrailers != exchange.HasTrailersReceived ? "trailers are missing, or too many"
            : exchange.ServerReset is not (null or Http2ErrorCode.NoError) ? "it was reset behind its end"
            : null;
    }

    private int? _lastServed;

    private void Hear(Http2FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (!_hasSettings && header is not { Type: Http2FrameType.Settings, Flags: Http2FrameFlags.None })
        {
            Violate($"the server begins with {header}");
        }

        if (_block.Count > 0 && header.Type != Http2FrameType.Continuation)
        {
            Violate($"{header} stands in a header block");
        }

        switch (header.Type)
        {
            case Http2FrameType.Settings when header.IsAnswer:
                HearAcknowledgement();
                break;
            case Http2FrameType.Settings:
                HearSettings(payload);
                break;
            case Http2FrameType.Ping when header.IsAnswer:
                if (payload[1] == 1)
                {
                    Exchanges[payload[0]].IsResetKnown = true;
                }

                break;
            case Http2FrameType.GoAway:
                HearGoAway(payload);
                break;
            case Http2FrameType.WindowUpdate when header.StreamId == 0:
                _sendWindow += BinaryPrimitives.ReadInt32BigEndian(payload);
                if (_sendWindow > _world.Plan.Server.Limits.Http2.InitialConnectionWindowSize)
                {
                    Violate($"{header} gives credit for bytes that were not sent: the connection's window is {_sendWindow}");
                }

                break;
            default:
                HearOfStream(header, payload);
                break;
        }

        if (!HasFinished)
        {
            Wake();
        }
    }

    private void HearAcknowledgement()
    {
        _acknowledgements++;
        if (_hasChangedWindows && _shrink is not null && IsLastAcknowledged)
        {
            _shrink();
            _shrink = null;
        }
    }

    private bool IsLastAcknowledged => _acknowledgements == _settingsSent;

    private void HearSettings(ReadOnlySpan<byte> payload)
    {
        _hasSettings = true;
        for (; payload.Length > 0; payload = payload[6..])
        {
            if ((Http2SettingId)BinaryPrimitives.ReadUInt16BigEndian(payload) == Http2SettingId.InitialWindowSize)
            {
                int window = BinaryPrimitives.ReadInt32BigEndian(payload[2..]);
                foreach (Exchange exchange in Exchanges)
                {
                    exchange.SendWindow += window - _serverWindow;
                }

                _serverWindow = window;
            }
        }

        if (!HasFinished)
        {
            _outbox.AddFrame(Http2FrameType.Settings, Http2FrameFlags.EndStream, 0, default);
        }
    }

    private void HearGoAway(ReadOnlySpan<byte> payload)
    {
        int last = BinaryPrimitives.ReadInt32BigEndian(payload);
        var code = (Http2ErrorCode)BinaryPrimitives.ReadUInt32BigEndian(payload[4..]);
        if (code != Http2ErrorCode.NoError)
        {
            Violate($"the server ends with {code}");
        }

        _world.Mark("server: GOAWAY");
        _isServerEnding |= last != int.MaxValue;
        _goAway = Math.Min(_goAway ?? int.MaxValue, last);
        _lastServed = last;
    }

    private void HearOfStream(Http2FrameHeader header, ReadOnlySpan<byte> payload)
    {
        Exchange? exchange = (header.StreamId & 1) == 1 && header.StreamId / 2 < _opened ? Exchanges[header.StreamId / 2] : null;
        if (exchange is null)
        {
            Violate($"{header} is of no stream that was opened");
            return;
        }

        bool isOver = exchange.ServerReset is not null || exchange.IsResetKnown
            || (exchange.HasEnd && header.Type is not (Http2FrameType.WindowUpdate or Http2FrameType.RstStream));
        if (isOver)
        {
            Violate($"{header} came behind the end of {exchange}");
        }

        switch (header.Type)
        {
            case Http2FrameType.Headers:
                _blockHead = header;
                HearBlock(exchange, header, payload);
                break;
            case Http2FrameType.Continuation:
                HearBlock(exchange, header, payload);
                break;
            case Http2FrameType.Data:
                HearData(exchange, header, payload);
                break;
            case Http2FrameType.WindowUpdate:
                exchange.SendWindow += BinaryPrimitives.ReadInt32BigEndian(payload);
                if (exchange.SendWindow > _serverWindow)
                {
                    Violate($"{header} gives credit for bytes that were not sent: {exchange} has a window of {exchange.SendWindow}");
                }

                _world.Mark("server: credit for a stream");
                break;
            case Http2FrameType.RstStream:
                exchange.ServerReset = (Http2ErrorCode)BinaryPrimitives.ReadUInt32BigEndian(payload);
                if (exchange.ServerReset == Http2ErrorCode.NoError)
                {
                    _world.Mark("server: answered before the body was there");
                }

                break;
            default:
                Violate($"{header} is none of a server's");
                break;
        }
    }

    private void HearBlock(Exchange exchange, Http2FrameHeader header, ReadOnlySpan<byte> payload)
    {
        _block.AddRange(payload);
        if (!header.Has(Http2FrameFlags.EndHeaders))
        {
            return;
        }

        var fields = new Fields();
        HpackError error = _decoder.Decode([.. _block], fields);
        _block.Clear();
        if (error != HpackError.None)
        {
            Violate($"{exchange}: its fields cannot be decoded: {error}");
        }

        if (fields.All.TryGetValue(":status", out string? status))
        {
            if (exchange.Status != 0)
            {
                Violate($"{exchange}: a second head");
            }

            exchange.Status = int.Parse(status, CultureInfo.InvariantCulture);
        }
        else if (exchange.Status == 0 || !_blockHead.IsAnswer || !fields.All.TryGetValue("x-sum", out string? sum) || sum != exchange.Sum)
        {
            Violate($"{exchange}: trailers that do not belong there");
        }
        else
        {
            exchange.HasTrailersReceived = true;
        }

        NoteEnd(exchange, _blockHead);
    }

    private void HearData(Exchange exchange, Http2FrameHeader header, ReadOnlySpan<byte> payload)
    {
        exchange.ReceiveWindow -= payload.Length;
        exchange.GrantedWindow -= payload.Length;
        _connectionWindow -= payload.Length;
        if (payload.Length > 0 && (exchange.ReceiveWindow < 0 || _connectionWindow < 0))
        {
            Violate($"{header} is beyond a window: {exchange.ReceiveWindow} of {exchange}, {_connectionWindow} of the connection");
        }

        if (exchange.Status == 0)
        {
            Violate($"{exchange}: bytes before the head");
        }

        int foreign = Pattern.FindForeign(payload, exchange.AnswerKey, exchange.Received);
        if (foreign >= 0)
        {
            Violate($"byte {exchange.Received + foreign} of the answer of {exchange} is {payload[foreign]:x2}, which does not belong there");
        }

        exchange.Received += payload.Length;
        exchange.Owed += payload.Length;
        _connectionOwed += payload.Length;
        if (exchange.Received < exchange.AnswerBytes && exchange.ReceiveWindow == 0)
        {
            _world.Mark("server: waits for a stream's window");
        }

        if (_connectionWindow == 0)
        {
            _world.Mark("server: waits for the connection's window");
        }

        NoteEnd(exchange, header);
    }

    private void NoteEnd(Exchange exchange, Http2FrameHeader header)
    {
        if (header.Has(Http2FrameFlags.EndStream))
        {
            exchange.HasEnd = true;
            _world.Mark("answer: whole");
        }
    }

    private void ScheduleRead()
    {
        if (!_isReading)
        {
            _isReading = true;
            _world.Schedule(Read, _dice.Chance(5) ? _dice.Between(1, 50) * 1_000_000L : 0);
        }
    }

    private void Read()
    {
        _isReading = false;
        if (!IsOver)
        {
            _ = Socket!.ReadByPeer(_dice.Between(1, _readPiece));
            if (Socket.Queued > 0)
            {
                ScheduleRead();
            }
        }
    }

    private void Violate(string what) => _world.Violated($"{this}: {what}");
}
