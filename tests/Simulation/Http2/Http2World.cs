using System.Net;
using Ioxide.Http2;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Simulation;

/// <summary>One run of the HTTP/2 engine: a reactor on a simulated kernel, peers that speak frames, handlers, and other threads, all from one seed.</summary>
/// <remarks>As <see cref="World"/>, whose kernel and reactor it draws; no Kestrel is in it. What holds at the end is in <c>.Rest</c>.</remarks>
internal sealed partial class Http2World : SimulatedWorld<Action>
{
    private const long LongestRunNs = 300L * 1_000_000_000;
    private const int ListenPort = 80;
    private const int MostBlocks = 20;

    private readonly Dictionary<int, Http2Peer> _peers = [];
    private readonly List<Served> _served = [];
    private readonly Http2Handlers _handlers;
    private readonly Http2Application _application;
    private readonly CountingMemory _memory = new();
    private readonly EngineLog _log;
    private int _peersOver;
    private int _unclosed;
    private int _blocks;
    private int _depth;
    private bool _hasOutlivedReactor;

    internal Http2World(ulong seed) : this(new Dice(seed))
    {
    }

    private Http2World(Dice dice) : this(dice, new Http2Plan(dice))
    {
    }

    private Http2World(Dice dice, Http2Plan plan) : base(dice, plan.Base, new Marks(s_marks), LongestRunNs)
    {
        Plan = plan;
        _handlers = new Http2Handlers(this);
        _application = new Http2Application.Of<IFeatureCollection>(_handlers);
        _log = new EngineLog(this);
    }

    internal Http2Plan Plan { get; }

    /// <summary>The reactor was stopped while things went on.</summary>
    internal bool IsCutShort { get; private set; }

    private protected override Action Nothing => static () => { };

    private protected override ReactorEvents NewEvents() => new Http2Events(this);

    internal Http2Peer PeerAt(int port) => _peers[port];

    internal void PeerIsOver() => _peersOver++;

    internal override void RunElsewhere(Action action, long delayNs = 0)
    {
        if (Reactor.HasEnded)
        {
            // The world stands still; what is left is run to its end.
            _elsewhere.Enqueue(action);
            return;
        }

        Schedule(() => ActElsewhere(action), delayNs);
    }

    /// <summary>Application code runs: not on the stack of a blocked handler.</summary>
    internal void CheckApplication()
    {
        if (!_isElsewhere && _isRunning && _depth > 0)
        {
            Violated($"application code runs on the stack of a blocked handler: {Environment.StackTrace}");
        }
    }

    /// <summary>Blocks the calling thread, where it is the reactor's, as a managed wait does.</summary>
    internal void Block(int milliseconds)
    {
        long until = _kernel.NowNs + (milliseconds * 1_000_000L);
        BlockUntil(() => _kernel.NowNs >= until);
    }

    /// <inheritdoc cref="Block"/>
    internal void BlockUntil(Func<bool> isOver)
    {
        if (_isElsewhere || !Reactor.IsCurrent || _blocks >= MostBlocks || isOver())
        {
            return;
        }

        _blocks++;
        Mark("handler: blocks");
        nint[] handles = [_kernel.MakeHandle(isOver)];
        _depth++;
        _ = SynchronizationContext.Current is { } context && context.IsWaitNotificationRequired()
            ? context.Wait(handles, false, Timeout.Infinite)
            : _kernel.WaitHandles(handles, false, Timeout.Infinite);
        _depth--;
    }

    internal override void WaitsPlainly()
    {
        if (!Reactor.Ended.IsCompleted)
        {
            Violated("a handler blocks, and the ring does not turn");
            throw new ViolationException(Violation!);
        }

        Mark("stop: below a blocked handler");
        RunOneLeft();
    }

    private protected override void Happen(Action happening) => happening();

    private protected override void StopWhereDone()
    {
        CloseEnded();
        if (!_isStopping && _peersOver == _peers.Count && Reactor.Load.Open == 0 && _unclosed == 0 && _handlers.Running == 0)
        {
            Stop();
        }
    }

    internal override void Interleave()
    {
        if (_isRunning && !_isElsewhere && Reactor.IsCurrent && !_elsewhere.IsEmpty && _dice.Chance(Plan.Base.Interleave))
        {
            RunOneLeft();
        }
    }

    private protected override string Describe()
        => $"{Reactor.Load.Open} connections, {_unclosed} engines, {_handlers.Running} handlers; "
            + string.Join("; ", _peers.Values.Where(static peer => !peer.IsOver));

    private protected override void Prepare()
    {
        _ = RingListener.BindAsync(
            _group,
            new IPEndPoint(IPAddress.Loopback, ListenPort),
            connection => _ = ServeAsync(connection),
            new RingListenOptions { Connection = Plan.Base.Connection },
            CancellationToken.None);
        for (int index = 0; index < Plan.Peers; index++)
        {
            int port = Http2Peer.FirstPort + index;
            var peer = new Http2Peer(this, _dice, port);
            _peers.Add(port, peer);
            Schedule(() => Connect(peer), _dice.Below(200) * 1000);
        }

        if (Plan.StopsAfterUs is { } stop)
        {
            Schedule(CutShort, stop * 1000L);
        }

        if (Plan.StopsGracefullyAfterUs is { } end)
        {
            Schedule(RequestCloses, end * 1000L);
        }
    }

    private void Connect(Http2Peer peer)
    {
        if (_isStopping || _kernel.Listener is not { IsClosed: false } listener)
        {
            peer.NeverConnected();
            return;
        }

        var socket = new StreamSocket(_kernel, peer.Port, 0, Plan.Base.SendCapacity);
        peer.Connected(socket);
        listener.Backlog.Enqueue(socket);
        _kernel.WakeFile(listener);
    }

    /// <summary>As the endpoint does it, from a thread of the pool to the reactor's turn.</summary>
    private async Task ServeAsync(RingConnection connection)
    {
        _unclosed++;
        await new YieldToReactor(Reactor);
        connection.WaitsForPeerFin = true;
        var context = new SimulatedContext(connection, _memory);
        var engine = new Http2Connection(context, Reactor, Plan.RunsOnPool, new Http2Options(Plan.Server), _application, _log, _log);
        var served = new Served(connection, context, engine) { Run = engine.RunAsync() };
        _served.Add(served);
        _ = connection.ConnectionClosed.Register(() =>
        {
            if (!EngineDoor.HasEnded(engine))
            {
                context.NoteClosed();
            }
        });
    }

    private void RequestCloses()
    {
        foreach (Served served in _served.Where(static served => !served.IsClosing))
        {
            Mark("server: asked to end");
            ActElsewhere(served.Context.RequestClose);
        }
    }

    private void CloseEnded()
    {
        foreach (Served served in _served)
        {
            if (!served.IsClosing && EngineDoor.HasEnded(served.Engine))
            {
                served.IsClosing = true;
                RunElsewhere(() => _ = CloseAsync(served.Connection));
            }
        }
    }

    private async Task CloseAsync(RingConnection connection)
    {
        _hasOutlivedReactor |= Reactor.HasEnded || connection.CloseReason == CloseReason.ReactorEnded;
        await connection.DisposeAsync();
        _unclosed--;
    }

    private void CutShort()
    {
        if (!_isStopping)
        {
            Mark("stop: in the middle");
            IsCutShort = true;
            Stop();
        }
    }

    private void Stop()
    {
        _isStopping = true;
        ActElsewhere(Reactor.RequestStop);
    }

    private void RunOneLeft() => ActElsewhere(RunOneElsewhere);

    private sealed record Served(RingConnection Connection, SimulatedContext Context, Http2Connection Engine)
    {
        internal required Task Run { get; init; }

        internal bool IsClosing { get; set; }
    }
}
