using System.Globalization;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>A client that speaks HTTP/2 as a seed has it: what it says, and when. What it hears is in <c>.Receive</c>.</summary>
internal sealed partial class Http2Peer : IPeer
{
    internal const int FirstPort = 10_000;

    private const int DefaultWindow = 65_535;
    private const int MostCredits = 1000;
    private const int ReceiveRoom = 32 * 1024;
    private const int MostNoise = 20;

    private readonly Http2World _world;
    private readonly Dice _dice;
    private readonly Outbox _outbox = new();
    private readonly int _deliverPiece;
    private readonly int _readPiece;
    private readonly int _connectionCreditAt;
    private readonly int _stallsAtAct;
    private readonly int _breaksAtAct;
    private readonly BreakOff _breakOff;
    private readonly int _changesWindowsAt;
    private readonly int _mostOpened;
    private int _acts;
    private int _opened;
    private int _noise;
    private int _settingsSent;
    private int _window;
    private bool _isActing;
    private bool _isReading;

    internal Http2Peer(Http2World world, Dice dice, int port)
    {
        _world = world;
        _dice = dice;
        Port = port;
        Http2Plan plan = world.Plan;
        _window = plan.InitialWindow;
        Exchanges = [.. Enumerable.Range(0, dice.Between(0, plan.Exchanges)).Select(number => new Exchange(dice, plan, number))];
        _deliverPiece = dice.Of<int>([1, 7, 100, 1000, 20_000]);
        if (Exchanges.Sum(static exchange => exchange.BodyBytes) > 3000)
        {
            _deliverPiece = Math.Max(_deliverPiece, 1000);
        }

        _readPiece = dice.Of<int>([50, 1000, 100_000]);
        _connectionCreditAt = dice.Of<int>([1, 1, 1000, 60_000]);
        _stallsAtAct = dice.Chance(200) ? dice.Below(60) : -1;
        _breakOff = dice.Chance(300) ? (BreakOff)dice.Below(3) : BreakOff.None;
        _breaksAtAct = dice.Below(80);
        _changesWindowsAt = plan.LaterWindow is null ? -1 : dice.Below(40);
        _mostOpened = dice.Of<int>([1, 4, 100]);
        _connectionWindow = DefaultWindow;
        _serverWindow = DefaultWindow;
    }

    private enum BreakOff
    {
        /// <summary>It resets the socket.</summary>
        Reset,

        /// <summary>It sends its FIN, and reads on.</summary>
        Finish,

        /// <summary>It says GOAWAY, and what it has opened goes on.</summary>
        GoAway,

        None,
    }

    internal int Port { get; }

    internal Exchange[] Exchanges { get; }

    internal StreamSocket? Socket { get; private set; }

    /// <summary>It has left its answers: by a reset, or by a FIN before they were there.</summary>
    internal bool HasLeft { get; private set; }

    internal bool HasFinished { get; private set; }

    internal bool IsOver { get; private set; }

    /// <summary>It has reset streams, whose handlers may still run: the server may refuse others.</summary>
    private bool HasReset => Array.Exists(Exchanges, static exchange => exchange.HasReset);

    internal void Connected(StreamSocket socket)
    {
        Socket = socket;
        socket.Peer = this;
        _outbox.Add(Http2Connection.Preface);
        AddSetting(Http2SettingId.InitialWindowSize, _window);
        if (_dice.Chance(300))
        {
            AddSetting(Http2SettingId.HeaderTableSize, _dice.Of<int>([0, 64, 4096, 65_536]));
        }

        if (_dice.Chance(200))
        {
            GrantConnection(_dice.Between(1, 100_000));
        }

        Wake();
    }

    internal void NeverConnected()
    {
        HasLeft = true;
        BeOver();
    }

    public bool CopySent(Span<byte> target, long offset)
    {
        _outbox.CopyTo(target, offset);
        return true;
    }

    private void Wake(long delayNs = 0)
    {
        if (!_isActing && !IsOver)
        {
            _isActing = true;
            _world.Schedule(Act, delayNs);
        }
    }

    private void Act()
    {
        _isActing = false;
        if (IsOver || HasFinished)
        {
            return;
        }

        if (_breakOff != BreakOff.None && _acts == _breaksAtAct)
        {
            Break();
            if (IsOver)
            {
                return;
            }
        }

        bool hasActed = !HasFinished && ActSomehow();
        Deliver(HasFinished ? int.MaxValue : _dice.Between(1, _deliverPiece));
        if (IsOver)
        {
            return;
        }

        if (hasActed || _outbox.Waiting > 0)
        {
            _acts++;
            bool isFull = Socket!.Available >= ReceiveRoom;
            Wake(_acts == _stallsAtAct ? _dice.Between(1, 100) * 1_000_000L : isFull ? 100_000 : 0);
        }
        else if (_goAway is not null || Array.TrueForAll(Exchanges, static exchange => exchange.IsOver))
        {
            FinishWhereDone();
        }
    }

    private void Deliver(int most)
    {
        int count = Math.Min(Math.Min(most, _outbox.Waiting), Math.Max(0, ReceiveRoom - Socket!.Available));
        if (count > 0)
        {
            _outbox.Deliver(count);
            Socket.Deliver(count);
        }
    }

    private bool ActSomehow()
    {
        int first = _dice.Below(6);
        for (int number = 0; number < 6; number++)
        {
            bool hasActed = ((first + number) % 6) switch
            {
                0 => OpenNext(),
                1 => SendBody(),
                2 => CreditStream(),
                3 => CreditConnection(),
                4 => ResetStream(),
                _ => SayMore(),
            };
            if (hasActed)
            {
                return true;
            }
        }

        return false;
    }

    private void Break()
    {
        _acts++;
        switch (_breakOff)
        {
            case BreakOff.Reset:
                _world.Mark("peer: reset the socket");
                HasLeft = true;
                BeOver();
                Socket!.ResetByPeer();
                break;
            case BreakOff.Finish:
                _world.Mark("peer: half closed");
                HasLeft = true;
                Finish();
                break;
            default:
                SayGoAway();
                break;
        }
    }

    private void SayGoAway()
    {
        if (_goAway is null)
        {
            _world.Mark("peer: GOAWAY");
            _outbox.AddFrame(Http2FrameType.GoAway, Http2FrameFlags.None, 0, stackalloc byte[8]);
            _goAway = int.MaxValue;
        }
    }

    private bool OpenNext()
    {
        int limit = Math.Min(_mostOpened, _world.Plan.Server.Limits.Http2.MaxStreamsPerConnection);
        if (_goAway is not null || _opened == Exchanges.Length
            || Exchanges.Count(static exchange => exchange.StreamId != 0 && !exchange.IsOver) >= limit)
        {
            return false;
        }

        Exchange exchange = Exchanges[_opened];
        exchange.StreamId = (2 * _opened++) + 1;
        exchange.SendWindow = _serverWindow;
        exchange.ReceiveWindow = _window;
        exchange.GrantedWindow = _window;
        exchange.HasSentEnd = !exchange.IsPost || (exchange.BodyBytes == 0 && !exchange.HasTrailers && _dice.Chance(500));
        (string, string)[] fields =
        [
            (":method", exchange.IsPost ? "POST" : "GET"), (":scheme", "http"), (":path", $"/{exchange.Number}"), (":authority", "localhost"),
            .. exchange.DeclaresLength ? [("content-length", exchange.BodyBytes.ToString(CultureInfo.InvariantCulture))] : ((string, string)[])[],
        ];
        _outbox.AddBlock(_dice, exchange.StreamId, exchange.HasSentEnd, fields);
        return true;
    }

    private bool SendBody()
    {
        if (Pick(static exchange => !exchange.HasSentEnd) is not { } exchange)
        {
            return false;
        }

        int left = exchange.BodyBytes - exchange.BodySent;
        int most = (int)Math.Min(Math.Min(left, Http2FrameHeader.DefaultMaxLength), Math.Min(exchange.SendWindow, _sendWindow));
        if (left > 0 && most <= 0)
        {
            _world.Mark(exchange.SendWindow <= 0 ? "peer: waits for a stream's window" : "peer: waits for the connection's window");
            return false;
        }

        int count = most <= 0 ? 0 : _dice.Chance(500) ? most : _dice.Between(1, most);
        bool isWhole = count == left;
        if (isWhole && exchange.HasTrailers && count == 0)
        {
            exchange.HasSentEnd = true;
            _outbox.AddBlock(_dice, exchange.StreamId, endsStream: true, ("x-sum", exchange.Sum));
            return true;
        }

        exchange.HasSentEnd = isWhole && !exchange.HasTrailers && (count == 0 || _dice.Chance(700));
        int padding = count < most && count > 0 && _dice.Chance(100) ? _dice.Between(0, Math.Min(255, most - count - 1)) : -1;
        byte[] payload = new byte[count + padding + 1];
        Pattern.Fill(payload.AsSpan(padding < 0 ? 0 : 1, count), exchange.Key, exchange.BodySent);
        if (padding >= 0)
        {
            payload[0] = (byte)padding;
        }

        Http2FrameFlags flags = (exchange.HasSentEnd ? Http2FrameFlags.EndStream : Http2FrameFlags.None) | (padding >= 0 ? Http2FrameFlags.Padded : Http2FrameFlags.None);
        _outbox.AddFrame(Http2FrameType.Data, flags, exchange.StreamId, payload);
        exchange.BodySent += count;
        exchange.SendWindow -= payload.Length;
        _sendWindow -= payload.Length;
        return true;
    }

    private bool CreditStream()
    {
        // A peer that gave back each byte of a large answer alone would take more steps than a run may have.
        if (Pick(static exchange => !exchange.HasEnd && (exchange.Owed > exchange.AnswerBytes / MostCredits || exchange.GrantedWindow <= 0)) is not { } exchange)
        {
            return false;
        }

        int credit = exchange.GrantedWindow <= 0
            ? _dice.Between(1, Math.Max(exchange.Owed, (exchange.AnswerBytes / 10) + 1)) - (int)exchange.GrantedWindow
            : _dice.Between(1, exchange.Owed);
        exchange.Owed = Math.Max(0, exchange.Owed - credit);
        exchange.GrantedWindow += credit;
        _outbox.AddNumber(Http2FrameType.WindowUpdate, exchange.StreamId, credit);
        _outbox.WhenArrived(() => exchange.ReceiveWindow += credit);
        return true;
    }

    private bool CreditConnection()
    {
        if (_connectionOwed < _connectionCreditAt)
        {
            return false;
        }

        int credit = _dice.Between((_connectionOwed + 1) / 2, _connectionOwed);
        _connectionOwed -= credit;
        GrantConnection(credit);
        return true;
    }

    private void GrantConnection(int credit)
    {
        _outbox.AddNumber(Http2FrameType.WindowUpdate, 0, credit);
        _outbox.WhenArrived(() => _connectionWindow += credit);
    }

    private bool ResetStream()
    {
        if (Pick(static exchange =>
            (exchange.ResetsAtSent >= 0 && exchange.BodySent >= exchange.ResetsAtSent)
            || (exchange.ResetsAtReceived >= 0 && exchange.Received >= exchange.ResetsAtReceived)) is not { } exchange)
        {
            return false;
        }

        _world.Mark("peer: reset a stream");
        exchange.HasReset = true;
        _outbox.AddNumber(Http2FrameType.RstStream, exchange.StreamId, Exchange.ResetCode);
        Span<byte> name = stackalloc byte[8];
        name[0] = (byte)exchange.Number;
        name[1] = 1;
        _outbox.AddFrame(Http2FrameType.Ping, Http2FrameFlags.None, 0, name);
        return true;
    }

    /// <summary>Frames that serve no request, and the change of the windows.</summary>
    private bool SayMore()
    {
        if (_acts >= _changesWindowsAt && _changesWindowsAt >= 0 && !_hasChangedWindows)
        {
            ChangeWindows(_world.Plan.LaterWindow!.Value);
            return true;
        }

        if (_noise >= MostNoise || _opened == Exchanges.Length || !_dice.Chance(100))
        {
            return false;
        }

        _noise++;
        switch (_dice.Below(3))
        {
            case 0:
                _outbox.AddFrame(Http2FrameType.Ping, Http2FrameFlags.None, 0, stackalloc byte[8]);
                break;
            case 1:
                _outbox.AddFrame((Http2FrameType)0x42, Http2FrameFlags.None, 0, new byte[_dice.Below(300)]);
                break;
            default:
                _outbox.AddFrame(Http2FrameType.Priority, Http2FrameFlags.None, (2 * Exchanges.Length) + 1, [0, 0, 0, 0, 16]);
                break;
        }

        return true;
    }

    /// <summary>More counts as soon as it has arrived, less when the server has acknowledged it.</summary>
    private void ChangeWindows(int window)
    {
        _hasChangedWindows = true;
        int change = window - _window;
        Exchange[] open = [.. Exchanges.Where(static exchange => exchange.StreamId != 0)];
        _window = window;
        foreach (Exchange exchange in open)
        {
            exchange.GrantedWindow += change;
        }

        AddSetting(Http2SettingId.InitialWindowSize, window);
        Action apply = () =>
        {
            foreach (Exchange exchange in open)
            {
                exchange.ReceiveWindow += change;
            }

            Wake();
        };
        if (change > 0)
        {
            _outbox.WhenArrived(apply);
        }
        else
        {
            _world.Mark("peer: smaller windows");
            _shrink = apply;
        }
    }

    private void AddSetting(Http2SettingId id, int value)
    {
        _settingsSent++;
        _outbox.AddSetting(id, value);
    }

    private Exchange? Pick(Func<Exchange, bool> isWanted)
    {
        Exchange[] open = [.. Exchanges.Where(exchange => exchange.StreamId != 0 && !exchange.IsOver && isWanted(exchange))];
        return open.Length == 0 ? null : open[_dice.Below(open.Length)];
    }

    private void FinishWhereDone()
    {
        if (Exchanges.Any(static exchange => exchange.StreamId != 0 && !exchange.IsOver) || HasFinished)
        {
            return;
        }

        if (_goAway is null && _dice.Chance(300))
        {
            SayGoAway();
            Wake();
        }
        else if (_goAway is null || _isServerEnding || _dice.Chance(300))
        {
            Finish();
        }
    }

    private void Finish()
    {
        if (!IsOver && !HasFinished)
        {
            HasFinished = true;
            Deliver(int.MaxValue);
            Socket!.FinishByPeer();
            if (_hasSeenEnd)
            {
                BeOver();
            }
        }
    }

    private void BeOver()
    {
        if (!IsOver)
        {
            IsOver = true;
            _world.PeerIsOver();
        }
    }
}
