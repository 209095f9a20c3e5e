using System.Net;

namespace Ioxide.Simulation;

/// <summary>One run: a reactor on a simulated kernel, peers, an application, and other threads, all from one seed.</summary>
internal sealed partial class World : SimulatedWorld<WorldEvent>
{
    private const long LongestRunNs = 3600L * 1_000_000_000;
    private const int ListenPort = 80;

    // More than two turns take, and not so many that a run lasts.
    private const int MostBurstPosts = 3000;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    // It is never started, and has a ring of the real kernel, which is never used.
    private static readonly Lazy<ReactorGroup> s_busy = new(static () => ReactorGroup.Create(new ReactorOptions { ReactorCount = 1 }));

    private readonly Dictionary<int, Peer> _peers = [];
    private readonly ElsewhereContext _poolContext;
    private Task<RingListener> _bound = null!;
    private bool _isUnbound;
    private int _peersOver;
    private long _posted;
    private long _ranPosted;

    internal World(ulong seed) : this(seed, new Dice(seed))
    {
    }

    private World(ulong seed, Dice dice) : this(seed, dice, new Plan(dice))
    {
    }

    private World(ulong seed, Dice dice, Plan plan) : base(dice, plan, new Marks(), LongestRunNs)
    {
        Seed = seed;
        _poolContext = new ElsewhereContext(action => RunElsewhere(action));
        Application = new EchoApplication(this, Reactor);
    }

    internal ulong Seed { get; }

    internal Plan Plan => Drawn;

    internal EchoApplication Application { get; }

    internal Peer PeerOf(RingConnection connection) => _peers[((IPEndPoint)connection.RemoteEndPoint!).Port];

    internal bool IsStopping => _isStopping;

    internal long NowNs => _kernel.NowNs;

    private protected override WorldEvent Nothing => new(WorldEventKind.Elsewhere, null);

    private protected override ReactorEvents NewEvents() => new SimulationEvents(this);

    public override void Dispose()
    {
        base.Dispose();
        foreach (Peer peer in _peers.Values)
        {
            peer.ConnectCancellation?.Dispose();
        }
    }

    internal void Schedule(WorldEventKind kind, Peer? peer = null, long delayNs = 0) => Schedule(new WorldEvent(kind, peer), delayNs);

    internal void PeerIsOver() => _peersOver++;

    internal override void RunElsewhere(Action action, long delayNs = 0)
    {
        _elsewhere.Enqueue(action);
        if (Reactor.HasEnded)
        {
            // The world stands still; what is left is run to its end.
            return;
        }

        Schedule(WorldEventKind.Elsewhere, delayNs: delayNs);
    }

    internal override void Marked(string mark) => Marks.Hit(mark);

    internal override void Interleave()
    {
        // Around an end other threads are at their busiest: what they leave for the reactor then it has to give away.
        int chance = _isStopping && Plan.BlockChance > 0 ? 300 : Plan.Interleave;
        if (_isRunning && !_isElsewhere && Reactor.IsCurrent && _dice.Chance(chance))
        {
            ActElsewhere(RunAnything);
        }
    }

    internal override void Waits()
    {
        if (!_isStopping && _kernel.Ready == 0 && Reactor.QueuedWork > 0)
        {
            Violated($"the reactor sleeps over {Reactor.QueuedWork} pieces of posted work");
        }

        if (!_isStopping && _kernel.Ready == 0 && Reactor.Buffers.CanArmStarved)
        {
            Violated("the reactor sleeps, connections wait for buffers, and there are some");
        }
    }

    internal override void UnknownGroupNamed(ushort group) => Violated($"a receive names group {group}, which is not registered");

    internal override void NothingWillHappen()
    {
        StopWhereDone();
        base.NothingWillHappen();
    }

    private protected override string Describe()
        => $"the reactor sleeps for ever with {Reactor.Load.Open} connections and {Application.Running} handlers. "
            + $"Open: {string.Join(", ", Application.Open.Select(PeerOf))}. "
            + $"Waiting: {string.Join(", ", _peers.Values.Where(static peer => !peer.IsOver))}. "
            + $"Unbound {_isUnbound}, listener closed {_kernel.Listener?.IsClosed}, {_kernel.OpenDescriptors} descriptors of "
            + $"{Plan.Faults.DescriptorLimit}, accept pauses {Reactor.Counters.AcceptPauses}";

    internal override void ConnectStarted(Operation operation, int port)
    {
        Peer peer = _peers[port];
        peer.PendingConnect = operation;
        var socket = new StreamSocket(_kernel, port, peer.Key, Plan.SendCapacity);
        _kernel.BecomeStream(operation, socket);
        Schedule(WorldEventKind.AnswerConnect, peer, _dice.Below(100_000));
        if (peer.IsConnectCancelled)
        {
            Schedule(WorldEventKind.CancelConnect, peer, _dice.Below(100_000));
        }
    }

    private protected override void Prepare()
    {
        _bound = RingListener.BindAsync(
            _group,
            new IPEndPoint(IPAddress.Loopback, ListenPort),
            Application.Accepted,
            new RingListenOptions { Connection = Plan.Connection },
            CancellationToken.None);
        for (int index = 0; index < Plan.InboundPeers + Plan.OutboundPeers; index++)
        {
            bool isOutbound = index >= Plan.InboundPeers;
            int port = isOutbound ? Plan.FirstOutboundPort + index : Plan.FirstInboundPort + index;
            var peer = new Peer(this, _dice, port, isOutbound);
            _peers.Add(port, peer);
            Schedule(WorldEventKind.Connect, peer, Plan.IsRush ? 0 : _dice.Below(200) * 1000);
        }

        if (Plan.StopsEarlyAfterUs is { } stop)
        {
            Schedule(WorldEventKind.Stop, delayNs: stop * 1000L);
        }

        if (Plan.UnbindsAfterUs is { } unbind)
        {
            Schedule(WorldEventKind.Unbind, delayNs: unbind * 1000L);
        }
    }

    private protected override void Happen(WorldEvent happening)
    {
        Peer? peer = happening.Peer;
        switch (happening.Kind)
        {
            case WorldEventKind.Connect:
                Connect(peer!);
                break;
            case WorldEventKind.Send:
                peer!.Send();
                break;
            case WorldEventKind.Read:
                peer!.Read();
                break;
            case WorldEventKind.Finish:
                peer!.Finish();
                break;
            case WorldEventKind.Reset:
                peer!.Reset();
                break;
            case WorldEventKind.AnswerConnect:
                AnswerConnect(peer!);
                break;
            case WorldEventKind.CancelConnect:
                ActElsewhere(() => peer!.ConnectCancellation!.Cancel());
                break;
            case WorldEventKind.Elsewhere:
                ActElsewhere(RunOneElsewhere);
                break;
            case WorldEventKind.Unbind:
                Unbind();
                break;
            case WorldEventKind.Stop:
                Stop();
                break;
            case WorldEventKind.Disk:
                _kernel.FinishRead();
                break;
            case WorldEventKind.Release:
                _isReleased = true;
                break;
        }
    }

    private void Connect(Peer peer)
    {
        if (_isStopping)
        {
            peer.NeverConnected();
        }
        else if (peer.IsOutbound)
        {
            peer.ConnectCancellation = new CancellationTokenSource();
            if (_dice.Chance(500))
            {
                ActElsewhere(() => Application.ConnectTo(peer));
            }
            else
            {
                ActElsewhere(() => Reactor.Post(
                    static state =>
                    {
                        var (application, peer) = ((EchoApplication, Peer))state!;
                        application.ConnectTo(peer);
                    },
                    (Application, peer)));
            }
        }
        else if (_kernel.Listener is { IsClosed: false } listener)
        {
            var socket = new StreamSocket(_kernel, peer.Port, peer.Key, Plan.SendCapacity);
            peer.Connected(socket);
            listener.Backlog.Enqueue(socket);
            _kernel.WakeFile(listener);
        }
        else
        {
            peer.NeverConnected();
        }
    }

    private void AnswerConnect(Peer peer)
    {
        Operation operation = peer.PendingConnect!;
        if (operation.IsDone || operation.IsCancelled || operation.File is not StreamSocket socket || socket.Port != peer.Port)
        {
            peer.NeverConnected();
            return;
        }

        if (peer.ConnectError != 0)
        {
            Mark("connect: refused");
            peer.NeverConnected();
            _kernel.FinishConnect(operation, -peer.ConnectError);
            return;
        }

        peer.Connected(socket);
        if (peer.IsConnectCancelled && _dice.Chance(300))
        {
            // The cancel is posted, and the reactor sees the answer before it.
            ActElsewhere(() => peer.ConnectCancellation!.Cancel());
        }

        peer.WasCancelledBeforeAnswer = peer.ConnectCancellation!.IsCancellationRequested;
        _kernel.FinishConnect(operation, 0);
    }

    private void RunAnything()
    {
        if (!_elsewhere.IsEmpty && _dice.Chance(700))
        {
            RunOneElsewhere();
            return;
        }

        if (_dice.Chance(200))
        {
            ActAsBusyReactor();
        }
        else
        {
            ActFromOutside();
        }
    }

    /// <summary>Another reactor acts, in a turn that never ends: what it leaves for the end of its turn never comes.</summary>
    private void ActAsBusyReactor()
    {
        Mark("post: by a reactor whose turn never ends");
        SynchronizationContext? context = SynchronizationContext.Current;
        Reactor? before = Reactor.ExchangeCurrent(s_busy.Value.Reactors[0]);
        try
        {
            ActFromOutside();
        }
        finally
        {
            Reactor.ExchangeCurrent(before);
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private void ActFromOutside()
    {
        if (_dice.Chance(300) && Application.SomeConnection(_dice) is { } connection)
        {
            connection.Input.CancelPendingRead();
            return;
        }

        if (_dice.Chance(100) && Application.SomeConnectionToAbort(_dice) is { } victim)
        {
            victim.Abort();
            return;
        }

        if (!_isStopping)
        {
            for (int count = _posted < MostBurstPosts ? _dice.Between(1, Plan.MostPosts) : 1; count > 0; count--)
            {
                long number = _posted++;
                Reactor.Post(
                    static state =>
                    {
                        var (world, number) = ((World, long))state!;
                        world.RunPosted(number);
                    },
                    (this, number));
            }
        }
    }

    private void RunPosted(long number)
    {
        if (number != _ranPosted++)
        {
            Violated($"posted work {number} ran as number {_ranPosted - 1}");
        }

        if (!IsOnReactor && !Reactor.HasEnded)
        {
            Violated($"posted work {number} does not run on the reactor");
        }

        CheckApplication();
        Application.BlockSomewhere(BlockSite.InPost);
    }

    private void Unbind()
    {
        if (Reactor.Turns == 0)
        {
            // The ring is still tried out: binding has not begun.
            Schedule(WorldEventKind.Unbind, delayNs: 1000);
        }
        else if (!_isStopping)
        {
            // The reactor has started it in its first turn; the rest of binding is on a thread of the pool, which comes soon.
            RingListener listener = _bound.GetAwaiter().GetResult();
            _isUnbound = true;
            ActElsewhere(() => _ = listener.UnbindAsync());
        }
    }

    private protected override void StopWhereDone()
    {
        if (!_isStopping && Reactor.Load.Open == 0 && Application.Running == 0 && _elsewhere.IsEmpty
            && _peersOver == _peers.Count)
        {
            Stop();
        }
    }

    private void Stop()
    {
        if (_isStopping)
        {
            return;
        }

        _isStopping = true;
        if (Reactor.Load.Open > 0)
        {
            Mark("stop: with connections open");
        }

        if (Plan.BlockChance > 0)
        {
            Schedule(WorldEventKind.Release, delayNs: _dice.Below(20_000_000));
        }

        ActElsewhere(Reactor.RequestStop);
    }
}
