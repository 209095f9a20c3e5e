namespace Ioxide.Simulation;

/// <summary>A client of the group: sends a keyed stream, and checks that it comes back.</summary>
internal sealed class GroupPeer : IPeer
{
    private const int ReceiveWindow = 32 * 1024;

    private readonly GroupWorld _world;
    private readonly Dice _dice;
    private readonly int _sendPiece;
    private readonly int _readPiece;
    private readonly int _resetsAtByte;
    private bool _isReading;

    internal GroupPeer(GroupWorld world, Dice dice, int port)
    {
        _world = world;
        _dice = dice;
        Port = port;
        Key = dice.Next();
        IsOfSharedListener = world.Plan.IsEven || dice.Chance(400);
        Total = dice.Of<int>([0, 1, 256, 300, 1024, dice.Between(0, 600), dice.Between(0, 6000)]);
        _sendPiece = Total > 2000 ? dice.Between(100, 5000) : dice.Of<int>([1, 100, 256, 5000]);
        _readPiece = dice.Of<int>([50, 1000, 100_000]);
        _resetsAtByte = !world.Plan.IsEven && dice.Chance(100) ? dice.Below(Total + 1) : -1;
        Style = dice.Of<GroupStyle>([GroupStyle.AtHome, GroupStyle.AtHome, GroupStyle.Wanders, GroupStyle.Abroad]);
        AbroadId = dice.Below(world.Plan.Reactors);
    }

    internal int Port { get; }

    internal ulong Key { get; }

    internal bool IsOfSharedListener { get; }

    internal int Total { get; }

    internal GroupStyle Style { get; }

    /// <summary>Where its handler runs, or wanders to.</summary>
    internal int AbroadId { get; }

    internal StreamSocket? Socket { get; private set; }

    internal int Sent { get; private set; }

    internal long Received { get; private set; }

    /// <summary>The reactor that serves it; null while it waits in a queue.</summary>
    internal Reactor? Home { get; set; }

    internal string Stage { get; set; } = "not started";

    internal bool HasFinished { get; private set; }

    internal bool HasSeenEnd { get; private set; }

    internal bool HasSeenReset { get; private set; }

    internal bool HasReset { get; private set; }

    internal bool IsOver { get; private set; }

    internal void Connected(StreamSocket socket)
    {
        Socket = socket;
        socket.Peer = this;
        _world.Schedule(Send);
    }

    internal void BeOver()
    {
        if (!IsOver)
        {
            IsOver = true;
            _world.PeerIsOver();
        }
    }

    private void Send()
    {
        StreamSocket socket = Socket!;
        if (IsOver || HasFinished)
        {
            return;
        }

        if (_resetsAtByte >= 0 && Sent >= _resetsAtByte)
        {
            HasReset = true;
            BeOver();
            socket.ResetByPeer();
            return;
        }

        if (Sent == Total)
        {
            if (!_world.MayFinish)
            {
                _world.Schedule(Send, 100_000);
                return;
            }

            HasFinished = true;
            socket.FinishByPeer();
            BeOverWhereDone();
            return;
        }

        bool hasRoom = socket.Available < ReceiveWindow;
        if (hasRoom)
        {
            int piece = Math.Min(_dice.Between(1, _sendPiece), Total - Sent);
            Sent += piece;
            socket.Deliver(piece);
        }

        _world.Schedule(Send, hasRoom ? 0 : 100_000);
    }

    public void BytesSent(ReadOnlySpan<byte> bytes)
    {
        int foreign = Pattern.FindForeign(bytes, Key, Received);
        if (foreign >= 0)
        {
            _world.Violated($"{this}: byte {Received + foreign} of the answer is {bytes[foreign]:x2}, which does not belong there");
        }

        Received += bytes.Length;
        if (Received > Sent)
        {
            _world.Violated($"{this}: {Received} bytes came back of {Sent} that were sent");
        }

        ScheduleRead();
    }

    public void FinSent()
    {
        HasSeenEnd = true;
        BeOverWhereDone();
    }

    public void WasReset(int lostBytes)
    {
        HasSeenReset = true;
        BeOver();
    }

    public override string ToString()
        => $"peer {Port} ({Style}, {(Home is null ? "no reactor" : $"reactor {Home.Id}")}; sent {Sent} of {Total}, got {Received}"
            + $"{(HasFinished ? ", finished" : "")}{(HasSeenEnd ? ", saw the end" : "")}{(HasReset ? ", reset" : "")}"
            + $"{(HasSeenReset ? ", was reset" : "")}{(IsOver ? ", over" : "")}; handler: {Stage})";

    private void BeOverWhereDone()
    {
        if (HasFinished && HasSeenEnd)
        {
            BeOver();
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

    private void ScheduleRead()
    {
        if (!_isReading)
        {
            _isReading = true;
            _world.Schedule(Read, _dice.Chance(20) ? _dice.Between(1, 50) * 1_000_000L : 0);
        }
    }
}
