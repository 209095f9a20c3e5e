namespace Ioxide;

/// <summary>Accepts connections of one endpoint on the reactors of a group.</summary>
[DebuggerDisplay("{EndPoint}, unbound: {IsUnbound}")]
public sealed class RingListener : IAsyncDisposable
{
    /// <summary>What <see cref="ReactorEvents.FeatureRefused"/> calls one listener per reactor on a port.</summary>
    internal const string SpreadingFeature = "Spreading connections over reactors by the kernel";

    // A killed process releases its sockets up to 130 ms after it is gone.
    private static readonly TimeSpan s_bindPatience = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan s_bindRetry = TimeSpan.FromMilliseconds(20);

    // After this time without a turn, a reactor's accepting is stopped from outside.
    private static readonly TimeSpan s_unbindPatience = TimeSpan.FromSeconds(1);

    private readonly Action<RingConnection> _onAccepted;
    private readonly RingListenOptions _options;
    private readonly string? _socketFile;
    private readonly EndPoint? _localEndPoint;
    private readonly List<Acceptor> _acceptors = [];
    private readonly TaskCompletionSource _allRead = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SingleRun _unbinding = new();

    // Connections that the application has not read from, plus one for the listener until its acceptors have stopped.
    private int _connectionsNotYetRead = 1;
    private long _lastAcceptedMs;

    private RingListener(
        ReactorGroup group, EndPoint endPoint, Action<RingConnection> onAccepted, RingListenOptions options, string? socketFile)
    {
        Group = group;
        EndPoint = endPoint;
        _onAccepted = onAccepted;
        _options = options;
        _socketFile = socketFile;
        Backlog = Math.Min(options.Backlog, KernelFile.Number("/proc/sys/net/core/somaxconn") ?? int.MaxValue);

        // With a wildcard address, each connection has its own address.
        bool isWildcard = endPoint is IPEndPoint ip && (ip.Address.Equals(IPAddress.Any) || ip.Address.Equals(IPAddress.IPv6Any));
        _localEndPoint = isWildcard ? null : endPoint;
    }

    /// <summary>The bound address, with the actual port.</summary>
    public EndPoint EndPoint { get; }

    internal ReactorGroup Group { get; }

    /// <summary>Maximum connections that wait to be accepted, per reactor: the kernel lowers a larger backlog silently.</summary>
    internal int Backlog { get; }

    /// <summary>
    /// The socket was handed in: the connections in its queue belong to its owner, which may continue to accept.
    /// </summary>
    internal bool IsAdopted { get; private init; }

    /// <summary>Whether it has stopped accepting, or is about to.</summary>
    internal bool IsUnbound => _unbinding.HasBegun;

    /// <summary>
    /// Stops accepting: waiting connections are still accepted, then the listeners are closed. Open connections
    /// stay open.
    /// </summary>
    /// <remarks>
    /// Threads: any; can be called again. If a reactor has not turned for a second, its waiting connections go to the other reactors
    /// and its socket stops listening at once; the descriptor is closed when the reactor turns again.
    /// </remarks>
    public Task UnbindAsync() => _unbinding.Start(UnbindOnceAsync);

    /// <inheritdoc cref="UnbindAsync"/>
    public async ValueTask DisposeAsync() => await UnbindAsync().ConfigureAwait(false);

    internal static async Task<RingListener> BindAsync(
        ReactorGroup group,
        EndPoint endPoint,
        Action<RingConnection> onAccepted,
        RingListenOptions options,
        CancellationToken cancellationToken)
    {
        options.Validate();
        options = options.Clone();
        int first = await BindFirstAsync(group.Kernel, endPoint, options, cancellationToken).ConfigureAwait(false);
        var listener = new RingListener(group, SocketAddress.LocalOf(group.Kernel, first) ?? endPoint, onAccepted, options, SocketFileOf(endPoint));
        var descriptors = new List<int> { first };
        try
        {
            bool handsOver = !listener.Listen(descriptors);
            for (int index = 0; descriptors.Count > 0; index++)
            {
                // The acceptor owns it from here on, even if it cannot start.
                int descriptor = descriptors[0];
                descriptors.RemoveAt(0);
                await listener.StartAcceptorAsync(group.Reactors[index], descriptor, handsOver).ConfigureAwait(false);
            }

            group.Add(listener);
            return listener;
        }
        catch
        {
            foreach (int descriptor in descriptors)
            {
                _ = group.Kernel.Close(descriptor);
            }

            await listener.UnbindAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Binds the first socket of an endpoint. It does not listen yet.</summary>
    /// <exception cref="SocketException">As for bind(2): address in use, not available, not allowed.</exception>
    internal static async Task<int> BindFirstAsync(
        Kernel kernel, EndPoint endPoint, RingListenOptions options, CancellationToken cancellationToken)
    {
        long start = Environment.TickCount64;
        while (true)
        {
            try
            {
                return ListenSocket.Bind(kernel, endPoint, options, options.AllowPortSharing);
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse
                && endPoint is IPEndPoint && Environment.TickCount64 - start < s_bindPatience.TotalMilliseconds)
            {
                await Task.Delay(s_bindRetry, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>The file that binding makes and that is removed with the listener; null where there is none.</summary>
    internal static string? SocketFileOf(EndPoint endPoint)
        => endPoint is UnixDomainSocketEndPoint unix && SocketAddress.HasFile(unix) ? unix.ToString() : null;

    /// <summary>
    /// Accepts from a listening socket that its owner bound and keeps: a duplicate of it is used and closed.
    /// </summary>
    internal static async Task<RingListener> AdoptAsync(
        ReactorGroup group, int handedIn, Action<RingConnection> onAccepted, RingListenOptions options)
    {
        options.Validate();
        EndPoint endPoint = ListenSocket.CheckHandedIn(group.Kernel, handedIn);
        options = options.Clone();
        if (options.Connection.NoDelay)
        {
            ListenSocket.SetNoDelay(group.Kernel, handedIn, endPoint);
        }

        int descriptor = Errno.Check(group.Kernel.Duplicate(handedIn), $"use descriptor {handedIn} as a listener");
        var listener = new RingListener(group, endPoint, onAccepted, options, socketFile: null) { IsAdopted = true };
        await listener.StartAcceptorAsync(group.Reactors[0], descriptor, handsOver: true).ConfigureAwait(false);
        group.Add(listener);
        return listener;
    }

    /// <summary>Listens on the first socket, and on one for each other reactor where the kernel spreads connections over several.</summary>
    /// <param name="descriptors">The bound first socket; the others are added, even where one of them fails.</param>
    /// <returns>Whether there is one for each reactor; else one reactor accepts for all.</returns>
    private bool Listen(List<int> descriptors)
    {
        Kernel kernel = Group.Kernel;
        bool canSpread = EndPoint is IPEndPoint && _options.Balancing == AcceptBalancing.Kernel && Group.Reactors.Count > 1;
        if (canSpread && ListenSocket.TrySharePort(kernel, descriptors[0]) is < 0 and int refused)
        {
            canSpread = false;
            Group.Reactors[0].RaiseEvent(events => events.FeatureRefused(
                0, SpreadingFeature, "setsockopt(SO_REUSEPORT)", Errno.Name(-refused), "one reactor accepts for all"));
        }

        while (canSpread && descriptors.Count < Group.Reactors.Count)
        {
            descriptors.Add(ListenSocket.Bind(kernel, EndPoint, _options, sharesPort: true));
        }

        foreach (int descriptor in descriptors)
        {
            ListenSocket.Listen(kernel, descriptor, _options.Backlog);
        }

        return canSpread;
    }

    private Task StartAcceptorAsync(Reactor reactor, int descriptor, bool handsOver)
    {
        var acceptor = new Acceptor(this, reactor, descriptor, handsOver && Group.Reactors.Count > 1);
        _acceptors.Add(acceptor);
        return acceptor.StartAsync();
    }

    private async Task UnbindOnceAsync()
    {
        await Task.WhenAll(_acceptors.Select(StopAcceptorAsync)).ConfigureAwait(false);
        NoteFirstRead();
        await WaitForFirstReadsAsync().ConfigureAwait(false);
        Group.Remove(this);
        ListenSocket.RemoveFile(_socketFile);
    }

    /// <summary>
    /// A server such as Kestrel, which starts connections on the thread pool, closes the unread ones when its listener has ended.
    /// The clients' requests would be lost with them.
    /// </summary>
    private async Task WaitForFirstReadsAsync()
    {
        TimeSpan sinceLast = TimeSpan.FromMilliseconds(Environment.TickCount64 - Volatile.Read(ref _lastAcceptedMs));
        if (sinceLast < _options.FirstReadPatience)
        {
            await Task.WhenAny(_allRead.Task, Task.Delay(_options.FirstReadPatience - sinceLast)).ConfigureAwait(false);
        }
    }

    private static async Task StopAcceptorAsync(Acceptor acceptor)
    {
        if (!await acceptor.Reactor.WaitWhileTurningAsync(acceptor.StopAsync(), s_unbindPatience).ConfigureAwait(false))
        {
            acceptor.StopFromOutside();
        }
    }

    /// <summary>Accepts the waiting connections of a stuck reactor. Threads: the watchdog's.</summary>
    internal void AcceptFor(Reactor stuck)
    {
        foreach (Acceptor acceptor in _acceptors)
        {
            if (ReferenceEquals(acceptor.Reactor, stuck))
            {
                acceptor.Rescue();
            }
        }
    }

    /// <summary>Creates the connection on its reactor. Runs on that reactor.</summary>
    internal void StartConnection(Reactor reactor, int descriptor, Acceptor acceptor)
    {
        // Closing a handed-over connection does not resume another reactor's acceptor.
        RingConnection connection = new(
            reactor, descriptor, _options.Connection, _localEndPoint, ReferenceEquals(acceptor.Reactor, reactor) ? acceptor : null)
        {
            Listener = this,
            FirstRead = new FirstRead(this),
        };
        reactor.Counters.Accepted++;
        reactor.Load.Lingering.MakeRoom();
        if (reactor.IsBlocked || acceptor.IsStopping)
        {
            // Application code must not run here; it runs from the loop.
            reactor.Enqueue(WorkItem.Of(
                this, connection, static (listener, connection) => listener._onAccepted(connection), WorkOwner.Application));
            return;
        }

        reactor.Activity = connection;
        using (reactor.EnterApplication())
        {
            _onAccepted(connection);
        }

        reactor.Activity = null;
    }

    /// <summary>A connection was accepted; <see cref="NoteFirstRead"/> follows. Threads: any.</summary>
    internal void NoteAccepted()
    {
        Volatile.Write(ref _lastAcceptedMs, Environment.TickCount64);
        Interlocked.Increment(ref _connectionsNotYetRead);
    }

    /// <summary>
    /// The application has read from an accepted connection, or the connection is closed: one fewer that <see cref="UnbindAsync"/> waits for.
    /// Threads: any.
    /// </summary>
    internal void NoteFirstRead()
    {
        if (Interlocked.Decrement(ref _connectionsNotYetRead) == 0)
        {
            _allRead.TrySetResult();
        }
    }
}
