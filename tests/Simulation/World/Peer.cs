namespace Ioxide.Simulation;

/// <summary>A client of the server, or a server that the application connects to: sends a keyed stream, checks what comes back.</summary>
internal sealed class Peer : IPeer
{
    private const int ReceiveWindow = 32 * 1024;

    private readonly World _world;
    private readonly Dice _dice;
    private readonly int _sendPiece;
    private readonly int _readPiece;
    private readonly int _stallsAtByte;
    private bool _isReading;
    private bool _hasStalled;

    internal Peer(World world, Dice dice, int port, bool isOutbound)
    {
        _world = world;
        _dice = dice;
        Port = port;
        IsOutbound = isOutbound;
        Key = dice.Next();
        Plan plan = world.Plan;
        Total = plan.IsBulky && dice.Chance(400)
            ? dice.Between(20_000, 60_000)
            : dice.Of<int>([0, 1, 255, 256, 257, 300, 1024, 4097, dice.Between(0, 600), dice.Between(0, 6000)]);
        _sendPiece = dice.Of<int>([1, 100, 256, 1000, 5000, 20_000]);
        if (Total > 2000)
        {
            _sendPiece = Math.Max(_sendPiece, 100);
        }

        _readPiece = dice.Of<int>([50, 1000, 100_000]);
        _stallsAtByte = dice.Chance(150) ? dice.Below(Total + 1) : -1;
        Behaviour = (Behaviour)dice.Below(256) & (Behaviour)dice.Below(256);
        if (plan.BlockChance > 0 && dice.Chance(300))
        {
            // Memory of others that other threads send is where an end has most to tell.
            Behaviour |= Behaviour.ByReference | Behaviour.Elsewhere;
        }

        Ending = dice.Of<Ending>([Ending.AtEnd, Ending.AtEnd, Ending.AtEnd, Ending.Closes, Ending.Aborts, Ending.Disposes]);
        EndsAtByte = dice.Below(Total + 1);
        ResetsAtByte = dice.Chance(200) ? dice.Below(Total + 1) : -1;
        ResetsAfterFinish = dice.Chance(50);
        WaitsForEnd = Ending != Ending.AtEnd && (Behaviour & Behaviour.Partly) == 0 && dice.Chance(500);
        KeepsTalking = dice.Chance(200);
        ConnectError = isOutbound && dice.Chance(200) ? Errno.ECONNREFUSED : 0;
        IsConnectCancelled = isOutbound && dice.Chance(200);
    }

    /// <summary>In a rush all peers send at the same times.</summary>
    private long BeatNs => _world.Plan.IsRush ? 100_000 : 0;

    internal int Port { get; }

    internal bool IsOutbound { get; }

    internal ulong Key { get; }

    /// <summary>Bytes that it means to send.</summary>
    internal int Total { get; }

    internal Behaviour Behaviour { get; }

    internal Ending Ending { get; }

    /// <summary>How many bytes the application answers before its <see cref="Ending"/>.</summary>
    internal int EndsAtByte { get; }

    internal int ResetsAtByte { get; }

    internal bool ResetsAfterFinish { get; }

    /// <summary>Goes on sending for a while after it has seen the server's end.</summary>
    internal bool KeepsTalking { get; }

    /// <summary>Sends what it has, and its end only when it has seen the server's.</summary>
    internal bool WaitsForEnd { get; }

    internal int ConnectError { get; }

    internal bool IsConnectCancelled { get; }

    /// <summary>What the application's handler waits for.</summary>
    internal string Stage { get; set; } = "not started";

    internal Operation? PendingConnect { get; set; }

    /// <summary>Bytes of the answer that a reset of the server's took away.</summary>
    internal int LostBytes { get; private set; }

    /// <summary>The application closed the connection over input that it had not consumed.</summary>
    internal bool HasLeftInput { get; set; }

    /// <summary>Closing took as long as lingering may.</summary>
    internal bool HasLingeredLong { get; set; }

    /// <summary>The connect succeeded when its token was cancelled already.</summary>
    internal bool WasCancelledBeforeAnswer { get; set; }

    internal CancellationTokenSource? ConnectCancellation { get; set; }

    internal StreamSocket? Socket { get; private set; }

    internal int Sent { get; private set; }

    /// <summary>Bytes that the server's kernel has sent to it.</summary>
    internal long Received { get; private set; }

    internal bool HasSeenEnd { get; private set; }

    internal bool HasSeenReset { get; private set; }

    internal bool HasFinished { get; private set; }

    /// <summary>It reset the connection itself.</summary>
    internal bool HasReset { get; private set; }

    internal bool IsOver { get; private set; }

    internal void Connected(StreamSocket socket)
    {
        Socket = socket;
        socket.Peer = this;
        _world.Schedule(WorldEventKind.Send, this, BeatNs);
    }

    internal void NeverConnected() => BeOver();

    internal void Send()
    {
        StreamSocket socket = Socket!;
        if (IsOver || HasFinished)
        {
            return;
        }

        if (ResetsAtByte >= 0 && Sent >= ResetsAtByte)
        {
            Reset();
            return;
        }

        if (Sent == Total)
        {
            if (!WaitsForEnd)
            {
                Finish();
            }

            return;
        }

        if (socket.Available < ReceiveWindow)
        {
            int piece = Math.Min(_dice.Between(1, _sendPiece), Total - Sent);
            Sent += piece;
            socket.Deliver(piece);
        }

        if (!IsOver)
        {
            _world.Schedule(WorldEventKind.Send, this, socket.Available >= ReceiveWindow ? 100_000 : BeatNs);
        }
    }

    internal void Read()
    {
        _isReading = false;
        if (IsOver)
        {
            return;
        }

        _ = Socket!.ReadByPeer(_dice.Between(1, _readPiece));
        if (Socket.Queued > 0)
        {
            ScheduleRead();
        }
    }

    internal void Finish()
    {
        if (IsOver || HasFinished)
        {
            return;
        }

        HasFinished = true;
        Socket!.FinishByPeer();
        if (HasSeenEnd)
        {
            BeOver();
        }
        else if (ResetsAfterFinish)
        {
            _world.Schedule(WorldEventKind.Reset, this);
        }
    }

    internal void Reset()
    {
        if (!IsOver)
        {
            HasReset = true;
            BeOver();
            Socket!.ResetByPeer();
        }
    }

    public void BytesSent(ReadOnlySpan<byte> bytes)
    {
        int foreign = Pattern.FindForeign(bytes, Key, Received);
        if (foreign >= 0)
        {
            _world.Violated($"{this}: byte {Received + foreign} of the answer is {bytes[foreign]:x2}, which does not belong there ({Behaviour})");
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
        if (HasFinished)
        {
            BeOver();
        }
        else if (!KeepsTalking || WaitsForEnd)
        {
            _world.Schedule(WorldEventKind.Finish, this);
        }
    }

    public void WasReset(int lostBytes)
    {
        LostBytes += lostBytes;
        HasSeenReset = true;
        BeOver();
    }

    public override string ToString()
        => $"peer {Port} ({Behaviour}, {Ending} at {EndsAtByte}; sent {Sent} of {Total}, got {Received}"
            + $"{(HasFinished ? ", finished" : "")}{(HasSeenEnd ? ", saw the end" : "")}{(HasReset ? ", reset" : "")}"
            + $"{(HasSeenReset ? ", was reset" : "")}{(IsOver ? ", over" : "")}; {Socket?.Available} bytes wait, {Socket?.Queued} unread; handler: {Stage})";

    private void BeOver()
    {
        if (!IsOver)
        {
            IsOver = true;
            _world.PeerIsOver();
        }
    }

    private void ScheduleRead()
    {
        if (!_isReading)
        {
            _isReading = true;
            bool stalls = !_hasStalled && _stallsAtByte >= 0 && Received >= _stallsAtByte;
            _hasStalled |= stalls;
            _world.Schedule(WorldEventKind.Read, this, stalls ? _dice.Between(1, 100) * 1_000_000L : 0);
        }
    }
}
