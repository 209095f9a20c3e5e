using System.Collections.Concurrent;
using System.Net;
using Ioxide.Http2;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Simulation;

/// <summary>One run of the HTTP/2 engine: a reactor on a simulated kernel, peers that speak frames, handlers, and other threads, all from one seed.</summary>
/// <remarks>As <see cref="World"/>, whose kernel and reactor it draws; no Kestrel is in it. What holds at the end is in <c>.Rest</c>.</remarks>
internal sealed partial class Http2World : KernelHost, IDisposable
{
    private const long MostCompletions = 300_000;
    private const long LongestRunNs = 300L * 1_000_000_000;
    private const int ListenPort = 80;
    private const int MostBlocks = 20;

    private readonly Dice _dice;
    private readonly PriorityQueue<Action, (long Time, int Order)> _events = new();
    private readonly Dictionary<int, Http2Peer> _peers = [];
    private readonly List<Served> _served = [];
    private readonly ConcurrentQueue<Action> _elsewhere = new();
    private readonly ElsewhereContext _elsewhereContext;
    private readonly SimulatedKernel _kernel;
    private readonly ReactorGroup _group;
    private readonly Http2Handlers _handlers;
    private readonly Http2Application _application;
    private readonly CountingMemory _memory = new();
    private readonly EngineLog _log;
    private int _order;
    private int _peersOver;
    private int _unclosed;
    private int _blocks;
    private int _depth;
    private bool _isElsewhere;
    private bool _isRunning;
    private bool _isStopping;
    private bool _isClosingRing;
    private bool _hasOutlivedReactor;

    internal Http2World(ulong seed)
    {
        _dice = new Dice(seed);
        Plan = new Http2Plan(_dice);
        _elsewhereContext = new ElsewhereContext(action => RunElsewhere(action));
        _kernel = new SimulatedKernel(this, _dice, Plan.Base.Faults);
        Plan.Base.Reactor.Kernel = _kernel;
        Plan.Base.Reactor.Events = new Http2Events(this);
        _group = ReactorGroup.Create(Plan.Base.Reactor);
        _handlers = new Http2Handlers(this);
        _application = new Http2Application.Of<IFeatureCollection>(_handlers);
        _log = new EngineLog(this);
    }

    internal Http2Plan Plan { get; }

    internal Reactor Reactor => _group.Reactors[0];

    internal Marks Marks { get; } = new(s_marks);

    /// <summary>The first rule that did not hold, or null.</summary>
    internal string? Violation { get; private set; }

    internal long EventCount => _kernel.Posted + _order;

    /// <summary>A hash over everything that happened.</summary>
    internal ulong Trace => _kernel.Trace ^ (ulong)_order;

    /// <summary>The reactor was stopped while things went on.</summary>
    internal bool IsCutShort { get; private set; }

    internal override SynchronizationContext? ThreadPoolContext => _elsewhereContext;

    internal override bool IsReactorOver => _isRunning && Reactor.Ended.IsCompleted && !_isClosingRing;

    internal override long? NextEventNs => _events.TryPeek(out _, out (long Time, int Order) at) ? at.Time : null;

    internal Http2Peer PeerAt(int port) => _peers[port];

    internal bool Chance(int perMille) => _dice.Chance(perMille);

    internal int Between(int least, int most) => _dice.Between(least, most);

    internal void Mark(string mark) => Marks.Hit(mark);

    internal void PeerIsOver() => _peersOver++;

    internal override void Violated(string what) => Violation ??= what;

    /// <summary>Runs it to its end.</summary>
    internal void Run()
    {
        try
        {
            Prepare();
            _isRunning = true;
            Reactor.RunHere();
            _isRunning = false;
            if (Violation is null)
            {
                CheckRest();
            }
        }
        catch (ViolationException exception)
        {
            Violation ??= exception.Message;
        }
    }

    public void Dispose() => _kernel.Dispose();

    internal void Schedule(Action action, long delayNs = 0)
    {
        long pace = Plan.Base.PaceUs == 0 ? 0 : _dice.Below(Plan.Base.PaceUs * 1000);
        _events.Enqueue(action, (_kernel.NowNs + delayNs + pace, _order++));
    }

    /// <summary>Goes on on another thread, some time from now.</summary>
    internal void RunElsewhere(Action action, long delayNs = 0)
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

    internal override void RunDueEvents()
    {
        if (Violation is not null || _kernel.Posted > MostCompletions)
        {
            Violation ??= $"after {_kernel.Posted} completions there is no end: {Describe()}";
            throw new ViolationException(Violation);
        }

        if (_kernel.NowNs > LongestRunNs && !_isStopping)
        {
            NothingWillHappen();
        }

        while (_events.TryPeek(out _, out (long Time, int Order) at) && at.Time <= _kernel.NowNs)
        {
            _events.Dequeue()();
        }

        CloseEnded();
        if (!_isStopping && _peersOver == _peers.Count && Reactor.Connections == 0 && _unclosed == 0 && _handlers.Running == 0)
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

    internal override void NothingWillHappen()
    {
        if (!_isStopping)
        {
            Violated($"there is no end: {Describe()}");
            throw new ViolationException(Violation!);
        }

        if (_events.Count == 0 && _kernel.Ready == 0)
        {
            Schedule(static () => { });
        }
    }

    private string Describe()
        => $"{Reactor.Connections} connections, {_unclosed} engines, {_handlers.Running} handlers; "
            + string.Join("; ", _peers.Values.Where(static peer => !peer.IsOver));

    private void Prepare()
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

    /// <summary>As the end point does it, from a thread of the pool to the reactor's turn.</summary>
    private async Task ServeAsync(RingConnection connection)
    {
        _unclosed++;
        await new ReactorTurn(Reactor);
        connection.EndsWithPeer = true;
        var context = new SimulatedContext(connection, _memory);
        var engine = new Http2Connection(context, Reactor, Plan.RunsOnPool, new Http2Options(Plan.Server), _application, _log);
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

    /// <summary>What the server does behind an engine that has ended.</summary>
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

    private void RunOneLeft()
    {
        if (_elsewhere.TryDequeue(out Action? action))
        {
            ActElsewhere(action);
        }
    }

    private void ActElsewhere(Action action)
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        Reactor? before = Reactor.ExchangeCurrent(null);
        bool wasElsewhere = _isElsewhere;
        SynchronizationContext.SetSynchronizationContext(_elsewhereContext);
        _isElsewhere = true;
        try
        {
            action();
        }
        finally
        {
            _isElsewhere = wasElsewhere;
            Reactor.ExchangeCurrent(before);
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    /// <summary>An engine and its connection.</summary>
    private sealed record Served(RingConnection Connection, SimulatedContext Context, Http2Connection Engine)
    {
        internal required Task Run { get; init; }

        internal bool IsClosing { get; set; }
    }
}
