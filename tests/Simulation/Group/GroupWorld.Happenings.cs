namespace Ioxide.Simulation;

/// <summary>What happens to a group: clients, posts across reactors, reactors that do not turn, listeners that are unbound, a stop.</summary>
internal sealed partial class GroupWorld
{
    private const long MillisecondNs = 1_000_000;

    // A reactor is stuck from 5 times the threshold on (250 ms), and then looked after every 10 ms.
    private const long StuckAfterNs = 1250 * MillisecondNs;
    private const long LookNs = 10 * MillisecondNs;
    private const long UnbindPatienceNs = 1000 * MillisecondNs;

    // Of one go; with more the rescue takes several.
    private const int RescueBatch = 256;

    private readonly PostLanes _posts;
    private Phase _phase;
    private bool _isUnbound;
    private bool _hasLookedFromOutside;
    private bool _hasCheckedBalance;
    private Task[] _drains = [];
    private long _drainUntilNs;

    private enum Phase
    {
        Serving,
        Unbinding,
        Draining,
        Ending,
    }

    /// <summary>The group was stopped while clients were there.</summary>
    private bool IsCutShort { get; set; }

    /// <summary>Another thread, or the calling reactor, posts to a reactor, some time or other.</summary>
    internal void LeavePost()
    {
        if (Moves())
        {
            _posts.Post(MemberAt(_dice.Below(_members.Length)));
        }
    }

    /// <summary>A connection begins to be served.</summary>
    internal void Started(RingConnection connection, GroupPeer peer)
    {
        if (peer.Home is not null)
        {
            Violated($"{peer} is served a second time, on reactor {connection.Reactor.Id}");
        }

        if (!connection.Reactor.IsCurrent)
        {
            Violated($"{peer} begins on reactor {Reactor.Current?.Id}, and belongs to {connection.Reactor.Id}");
        }

        peer.Home = connection.Reactor;
        if (peer.IsOfSharedListener && connection.Reactor.Id != 0)
        {
            Mark("accept: handed to the reactor with the fewest");
        }

        if (_phase != Phase.Serving)
        {
            Mark("stop: a client in a queue is served");
        }
    }

    private void Plot()
    {
        for (int hold = 0; hold < Plan.Holds; hold++)
        {
            Member member = _members[_dice.Below(_members.Length)];
            long lastsNs = _dice.Of<int>([5, 300, 2000, 4000]) * MillisecondNs;
            Schedule(() => Hold(member, lastsNs), _dice.Below(400) * 1000);
        }

        if (Plan.UnbindsAfterUs is { } unbind)
        {
            Schedule(Unbind, unbind * 1000L);
        }

        if (Plan.StopsAfterUs is { } stop)
        {
            Schedule(
                () =>
                {
                    if (_phase == Phase.Serving && _peersOver < _peers.Count)
                    {
                        Mark("stop: in the middle");
                        IsCutShort = true;
                    }

                    Stop();
                },
                stop * 1000L);
        }
    }

    private void Connect(GroupPeer peer)
    {
        int port = peer.IsOfSharedListener ? SharedPort : SpreadPort;
        ListeningSocket[] listening = [.. _kernel.Listeners.Where(listener => listener.Port == port && !listener.IsClosed && !listener.IsShutDown)];
        if (listening.Length == 0)
        {
            peer.BeOver();
            return;
        }

        // The kernel's hash knows nothing of reactors that do not turn.
        ListeningSocket chosen = listening[_dice.Below(listening.Length)];
        var socket = new StreamSocket(_kernel, peer.Port, peer.Key, Drawn.SendCapacity);
        peer.Connected(socket);
        chosen.Backlog.Enqueue(socket);
        _kernel.WakeFile(chosen);
    }

    /// <summary>The reactor's turn lasts. In time the watchdog accepts for it.</summary>
    private void Hold(Member member, long lastsNs)
    {
        if (member.IsOnStack || member.HasEnded || member.IsHeld || _phase == Phase.Ending)
        {
            return;
        }

        member.IsHeld = true;
        Schedule(() => Look(member), StuckAfterNs);
        Schedule(() => Release(member), lastsNs);
    }

    private void Release(Member member)
    {
        member.IsHeld = false;

        // The watchdog has not seen it yet.
        Schedule(() => member.Reactor.IsStuck = false, _dice.Below((int)LookNs));
    }

    /// <summary>The watchdog's look at a reactor that does not turn, or did not a moment ago.</summary>
    private void Look(Member member)
    {
        if (_phase == Phase.Ending || member.HasEnded || (!member.IsHeld && !member.Reactor.IsStuck))
        {
            return;
        }

        member.Reactor.IsStuck = true;
        long rescued = member.Reactor.Counters.Rescued;
        bool mayRescue = !_isUnbound && _phase == Phase.Serving && _group.LeastLoaded(except: member.Reactor) is not null;
        ActElsewhere(() => _group.AcceptFor(member.Reactor));
        if (member.Reactor.Counters.Rescued > rescued)
        {
            Mark("rescue: clients of a stuck reactor");
        }

        int left = ListenersOf(member).Sum(static listener => listener.Backlog.Count);
        if (mayRescue && left is > 0 and < RescueBatch && Drawn.Faults.AcceptError == 0)
        {
            Violated($"{left} clients wait at reactor {member.Id}, which is stuck, and others turn");
        }

        Schedule(() => Look(member), LookNs);
    }

    /// <summary>They are bound in the order of the reactors; the shared one is the first reactor's.</summary>
    private IEnumerable<ListeningSocket> ListenersOf(Member member)
    {
        yield return _kernel.Listeners[member.Id];
        if (member.Id == 0)
        {
            yield return _kernel.Listeners[_members.Length];
        }
    }

    private void Unbind()
    {
        if (_phase == Phase.Serving)
        {
            Mark("unbind: while the others serve");
            _isUnbound = true;
            ActElsewhere(() => _ = _listeners[_dice.Below(_listeners.Length)].UnbindAsync());
            Schedule(StopHeldFromOutside, UnbindPatienceNs);
        }
    }

    /// <summary>Who waited for a reactor to stop accepting gives up on one that does not turn.</summary>
    private void StopHeldFromOutside()
    {
        foreach (Acceptor acceptor in _listeners.Where(static listener => listener.IsUnbound).SelectMany(GroupDoor.AcceptorsOf))
        {
            if (_members[acceptor.Reactor.Id].IsHeld)
            {
                Mark("unbind: from outside");
                ActElsewhere(acceptor.StopFromOutside);
            }
        }

        _hasLookedFromOutside = true;
    }

    private protected override void StopWhereDone()
    {
        switch (_phase)
        {
            case Phase.Serving when _isRunning:
                CheckBalance();
                if (_peersOver == _peers.Count && _application.Running == 0)
                {
                    Stop();
                }

                break;
            case Phase.Unbinding:
                bool isHeldUp = Array.Exists(_members, static member => member.IsHeld);
                if (_kernel.AcceptorCount == 0 || (isHeldUp && _hasLookedFromOutside))
                {
                    Drain();
                }

                break;
            case Phase.Draining:
                if (Array.TrueForAll(_drains, static drain => drain.IsCompleted) || _kernel.NowNs >= _drainUntilNs)
                {
                    End();
                }

                break;
        }
    }

    private void Stop()
    {
        if (_phase != Phase.Serving)
        {
            return;
        }

        _phase = Phase.Unbinding;
        _isStopping = true;
        _hasLookedFromOutside = false;
        if (_kernel.Listeners.Any(static listener => listener.Backlog.Count > 0))
        {
            Mark("stop: with clients in queues");
        }

        ActElsewhere(() => Array.ForEach(_listeners, static listener => _ = listener.UnbindAsync()));
        Schedule(StopHeldFromOutside, UnbindPatienceNs);
    }

    private void Drain()
    {
        _phase = Phase.Draining;
        _drainUntilNs = _kernel.NowNs + (Plan.DrainMs * MillisecondNs);
        ActElsewhere(() => _drains = [.. _members.Select(static member => member.Reactor.Load.WhenEmptyAsync())]);
        Schedule(Nothing, Plan.DrainMs * MillisecondNs);
    }

    private void End()
    {
        _phase = Phase.Ending;
        if (Array.Exists(_members, static member => member.Reactor.Load.Open > 0))
        {
            Mark("stop: with connections open");
            IsCutShort = true;
        }

        ActElsewhere(() => Array.ForEach(_members, static member => member.Reactor.RequestStop()));
    }

    /// <summary>All are connected, and none has ended: no reactor has more than one connection beyond another.</summary>
    private void CheckBalance()
    {
        if (!Plan.IsEven || _hasCheckedBalance || _application.Served < _peers.Count)
        {
            return;
        }

        _hasCheckedBalance = true;
        Mark("balance: even");
        int most = _members.Max(static member => member.Reactor.Load.Open);
        int least = _members.Min(static member => member.Reactor.Load.Open);
        if (most - least > 1)
        {
            Violated($"of {_peers.Count} connections that were handed to the reactor with the fewest one has {most}, another {least}");
        }
    }
}
