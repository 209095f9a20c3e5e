using System.Net;

namespace Ioxide.Simulation;

/// <summary>One run of a whole group: up to 64 reactors, each with a ring, on one simulated kernel and one thread, all from one seed.</summary>
/// <remarks>
/// Which reactor turns next the seed picks. One that waits in its ring is left there, and others turn on top of it; or its wait is interrupted, as
/// by a signal, and it turns again when there is something for it. Now and then another turns in the middle of a turn. The watchdog and the group's
/// stop wait on threads of the machine, so the world plays their parts, in their order (<c>.Happenings</c>).
/// </remarks>
internal sealed partial class GroupWorld : SimulatedWorld<Action>
{
    internal const int SpreadPort = 80;
    internal const int SharedPort = 81;

    private const long LongestRunNs = 300L * 1_000_000_000;
    private const int FirstPeerPort = 10_000;

    // Turns and waits of all reactors; seeds need some thousands.
    private const int MostTurns = 200_000;

    private readonly Dictionary<int, GroupPeer> _peers = [];
    private readonly Member[] _members;
    private readonly GroupApplication _application;
    private readonly List<Member> _ready = [];
    private RingListener[] _listeners = [];
    private int _depth;
    private int _peersOver;
    private int _turns;

    internal GroupWorld(ulong seed) : this(new Dice(seed))
    {
    }

    private GroupWorld(Dice dice) : this(dice, new GroupPlan(dice))
    {
    }

    private GroupWorld(Dice dice, GroupPlan plan) : base(dice, plan.Base, new Marks(s_marks), LongestRunNs)
    {
        Plan = plan;
        _application = new GroupApplication(this);
        _members = [.. _group.Reactors.Select(reactor => new Member(reactor) { Ring = _kernel.Rings[reactor.Id] })];
        _posts = new PostLanes(this, _members.Length);
    }

    internal GroupPlan Plan { get; }

    /// <summary>Peers may end their streams.</summary>
    internal bool MayFinish => !Plan.IsEven || _hasCheckedBalance;

    internal override bool IsReactorOver => _isRunning && !_isClosingRing && Reactor.Current is { Ended.IsCompleted: true };

    private protected override Action Nothing => static () => { };

    private bool HaveAllEnded => Array.TrueForAll(_members, static member => member.HasEnded);

    internal Reactor MemberAt(int id) => _members[id].Reactor;

    internal GroupPeer PeerOf(RingConnection connection) => _peers[((IPEndPoint)connection.RemoteEndPoint!).Port];

    internal void PeerIsOver() => _peersOver++;

    internal bool Moves() => _dice.Chance(Plan.Moves);

    internal override void RunElsewhere(Action action, long delayNs = 0)
    {
        if (HaveAllEnded)
        {
            // The world stands still; what is left is run to its end.
            _elsewhere.Enqueue(action);
            return;
        }

        Schedule(() => ActElsewhere(action), delayNs);
    }

    internal override void Interleave()
    {
        if (_isRunning && !_isElsewhere && Reactor.Current is not null && _dice.Chance(Drawn.Interleave))
        {
            ActElsewhere(LeavePost);
        }
    }

    internal override void MayTurnOthers()
    {
        if (_isRunning && !_isElsewhere && _depth > 0 && _depth <= Plan.MostDepth && _dice.Chance(Plan.Preempts) && PickReady() is { } member)
        {
            Mark("turn: in the middle of another's");
            Step(member);
        }
    }

    internal override void Waits()
    {
        if (_isRunning && Reactor.Current is { End.HasBegun: false, QueuedWork: > 0 } reactor && _kernel.Ready == 0)
        {
            Violated($"reactor {reactor.Id} sleeps over {reactor.QueuedWork} pieces of posted work");
        }
    }

    internal override Waiting WaitAmongOthers(ref long untilNs)
    {
        if (!_isRunning)
        {
            return Waiting.Interrupted;
        }

        CountTurn();
        Member self = _members[Reactor.Current!.Id];
        if (PickReady() is { } member)
        {
            // One that ends turns in a loop of its own, and may wait for long.
            if (self.Reactor.End.HasBegun || (_depth < Plan.MostDepth && !_dice.Chance(Plan.Unwinds)))
            {
                Mark("turn: while another waits");
                Step(member);
                return Waiting.OthersTurned;
            }

            return Interrupt(self);
        }

        long now = _kernel.NowNs;
        if (!self.Reactor.End.HasBegun && Array.Exists(_members, below => below != self && below.WouldGoOn(now)))
        {
            return Interrupt(self);
        }

        untilNs = Math.Min(untilNs, NextWaitNs);
        return Waiting.TimePasses;
    }

    private protected override ReactorEvents NewEvents() => new GroupEvents(this);

    private protected override void Happen(Action happening) => happening();

    private protected override string Describe()
        => $"{_application.Running} handlers, {_phase}, {_kernel.AcceptorCount} acceptors; "
            + $"reactors {string.Join(", ", _members.Where(static member => !member.HasEnded).Select(Describe))}; "
            + string.Join("; ", _peers.Values.Where(static peer => !peer.IsOver));

    private static string Describe(Member member)
        => $"{member.Id}: {member.Reactor.Load.Open} open, {member.Reactor.QueuedWork} posted{(member.IsHeld ? ", held" : "")}";

    private protected override void Prepare()
    {
        foreach (Member member in _members)
        {
            Step(member);
        }

        _listeners = [Bind(SpreadPort, AcceptBalancing.Kernel), Bind(SharedPort, AcceptBalancing.LeastLoaded)];
        for (int index = 0; index < Plan.Peers; index++)
        {
            var peer = new GroupPeer(this, _dice, FirstPeerPort + index);
            _peers.Add(peer.Port, peer);
            Schedule(() => Connect(peer), _dice.Below(300) * 1000);
        }

        Plot();
    }

    private protected override void RunReactors()
    {
        while (!HaveAllEnded)
        {
            if (PickReady() is { } member)
            {
                Step(member);
                continue;
            }

            long until = Math.Min(NextEventNs ?? long.MaxValue, NextWaitNs);
            if (until == long.MaxValue)
            {
                NothingWillHappen();
                continue;
            }

            _kernel.NowNs = Math.Max(_kernel.NowNs, until);
            RunDueEvents();
        }
    }

    /// <summary>As a listener binds itself, but for the threads of the machine's pool that its awaits would come by.</summary>
    private RingListener Bind(int port, AcceptBalancing balancing)
    {
        var options = new RingListenOptions { Connection = Drawn.Connection, Balancing = balancing };
        var endPoint = new IPEndPoint(IPAddress.Loopback, port);
        List<int> descriptors = [RingListener.BindFirstAsync(_kernel, endPoint, options, CancellationToken.None).GetAwaiter().GetResult()];
        RingListener listener = GroupDoor.MakeListener(_group, endPoint, _application.Accepted, options, socketFile: null);
        bool handsOver = !GroupDoor.Listen(listener, descriptors);
        for (int index = 0; index < descriptors.Count; index++)
        {
            _ = GroupDoor.StartAcceptorAsync(listener, MemberAt(index), descriptors[index], handsOver);
            Step(_members[index]);
        }

        _group.Add(listener);
        return listener;
    }

    private static Waiting Interrupt(Member self)
    {
        self.IsIdle = true;
        return Waiting.Interrupted;
    }

    /// <summary>When the next of the waits is over. One that is over already may be further down, and go on when those above let it.</summary>
    private long NextWaitNs
    {
        get
        {
            long now = _kernel.NowNs;
            long next = long.MaxValue;
            foreach (Member member in _members)
            {
                if (!member.HasEnded && !member.IsHeld && member.Ring.WaitsUntilNs > now)
                {
                    next = Math.Min(next, member.Ring.WaitsUntilNs);
                }
            }

            return next;
        }
    }

    private Member? PickReady()
    {
        _ready.Clear();
        long now = _kernel.NowNs;
        foreach (Member member in _members)
        {
            if (member.IsReady(now))
            {
                _ready.Add(member);
            }
        }

        return _ready.Count == 0 ? null : _ready[_dice.Below(_ready.Count)];
    }

    /// <summary>One that turns and turns gets to no completions, which would be counted.</summary>
    private void CountTurn()
    {
        if (++_turns > MostTurns)
        {
            Violated($"after {_turns} turns there is no end: {Describe()}");
            throw new ViolationException(Violation!);
        }
    }

    /// <summary>The reactor begins, turns once, or ends: what its thread would do.</summary>
    private void Step(Member member)
    {
        CountTurn();
        SynchronizationContext? context = SynchronizationContext.Current;
        Reactor reactor = member.Reactor;
        Reactor? before = Reactor.ExchangeCurrent(reactor);
        member.IsOnStack = true;
        member.IsIdle = false;
        _depth++;
        try
        {
            if (!reactor.IsLooping)
            {
                reactor.Begin();
                reactor.StartLooping();
                return;
            }

            reactor.Turn();
            if (reactor.End.IsRequested)
            {
                reactor.End.Run(fault: null);
                member.HasEnded = true;
            }
        }
        finally
        {
            _depth--;
            member.IsOnStack = false;
            Reactor.ExchangeCurrent(before);
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }
}
