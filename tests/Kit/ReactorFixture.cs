using System.Net;

namespace Ioxide.TestKit;

/// <summary>
/// Reactors for one test. Disposing it ends them and fails the test where something is left: an operation in flight, a
/// receive buffer, a block of memory, a descriptor, or an exception that nobody asked for.
/// </summary>
/// <remarks>
/// Make it before the sockets of the test (<c>await using</c>), so that it is disposed after them. It aborts connections and
/// unbinds listeners that are still there, which must leave nothing behind either.
/// </remarks>
internal sealed class ReactorFixture : IAsyncDisposable
{
    private readonly LeakCheck _descriptors;
    private bool _isDisposed;

    private ReactorFixture(ReactorOptions options, LeakCheck descriptors, RecordedEvents? events)
    {
        _descriptors = descriptors;
        Events = events ?? new RecordedEvents();
        Group = ReactorGroup.Start(options);
    }

    internal ReactorGroup Group { get; }

    internal IReadOnlyList<Reactor> Reactors => Group.Reactors;

    internal Reactor this[int reactorId] => Group.Reactors[reactorId];

    /// <summary>What the group told; empty where the options brought an object of their own.</summary>
    internal RecordedEvents Events { get; }

    /// <summary>Set where the test makes code on a reactor throw. Otherwise an unhandled exception fails the test.</summary>
    internal bool ExpectsExceptions { get; set; }

    /// <summary>How long it waits for what is on its way home. Defaults to a minute.</summary>
    internal TimeSpan Patience { get; set; } = 60.Seconds();

    /// <summary>Starts 2 reactors.</summary>
    /// <param name="configure">Changes the options; ReactorCount is 2 before it.</param>
    internal static ReactorFixture Start(Action<ReactorOptions>? configure = null)
    {
        LeakCheck descriptors = LeakCheck.Start();
        var events = new RecordedEvents();
        var options = new ReactorOptions { ReactorCount = 2, Events = events };
        configure?.Invoke(options);
        return new ReactorFixture(options, descriptors, ReferenceEquals(options.Events, events) ? events : null);
    }

    /// <summary>Listens on a free loopback port (IPv4), or where <paramref name="endPoint"/> says.</summary>
    internal Task<RingListener> ListenAsync(Func<RingConnection, Task> handler, RingListenOptions? options = null, EndPoint? endPoint = null)
        => Group.ListenAsync(endPoint ?? new IPEndPoint(IPAddress.Loopback, 0), handler, options).Within(20.Seconds());

    /// <summary>Ends the reactors and checks that nothing is left. The second call does nothing.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        var problems = new List<string>();
        foreach (Reactor reactor in Reactors.Where(reactor => !reactor.HasEnded))
        {
            problems.AddRange(await EmptyAsync(reactor).ConfigureAwait(false));
        }

        await Group.DisposeAsync().AsTask().Within(20.Seconds(), "the reactors have ended").ConfigureAwait(false);
        foreach (Reactor reactor in Reactors)
        {
            problems.AddRange(LeftBehind(reactor, operationsAtRest: 0));
        }

        if (!ExpectsExceptions)
        {
            problems.AddRange(Events.All
                .Where(recorded => recorded.Kind is RecordedEvents.Kind.Unhandled or RecordedEvents.Kind.Faulted)
                .Select(recorded => $"reactor {recorded.ReactorId}: {recorded.Exception}"));
        }

        try
        {
            await _descriptors.AssertNoneLeftAsync(Patience).ConfigureAwait(false);
        }
        catch (InvalidOperationException exception)
        {
            problems.Add(exception.Message);
        }

        if (problems.Count > 0)
        {
            throw new InvalidOperationException($"The reactors left something behind:\n{string.Join('\n', problems)}");
        }
    }

    /// <summary>Unbinds and aborts what is on a running reactor and waits until nothing but the wake-up poll is left.</summary>
    private async Task<List<string>> EmptyAsync(Reactor reactor)
    {
        ICompletionTarget[] targets = await TargetsAsync(reactor).ConfigureAwait(false);
        foreach (Acceptor acceptor in targets.OfType<Acceptor>())
        {
            await acceptor.StopAsync().Within(20.Seconds(), "the listener is unbound").ConfigureAwait(false);
        }

        long started = Environment.TickCount64;
        List<string> left;
        do
        {
            // Unbinding may accept a last connection, so connections are looked for every time.
            targets = await TargetsAsync(reactor).ConfigureAwait(false);
            foreach (RingConnection connection in targets.OfType<RingConnection>())
            {
                connection.Abort();
            }

            await Task.Delay(1).ConfigureAwait(false);
            left = await reactor.RunAsync(() => LeftBehind(reactor, operationsAtRest: 1)).Within(20.Seconds()).ConfigureAwait(false);
        }
        while (left.Count > 0 && Environment.TickCount64 - started < Patience.TotalMilliseconds);
        return left;
    }

    private static Task<ICompletionTarget[]> TargetsAsync(Reactor reactor)
        => reactor.RunAsync(() => reactor.Operations.Targets.ToArray()).Within(20.Seconds());

    private static List<string> LeftBehind(Reactor reactor, int operationsAtRest)
    {
        var left = new List<string>();
        ReactorSnapshot snapshot = reactor.Snapshot();
        int operations = snapshot.OperationsInFlight - operationsAtRest;
        Note(operations, $"operations in flight ({string.Join(", ", reactor.Operations.Targets.Select(Describe))})");
        Note(snapshot.BuffersTaken, "receive buffers not returned");
        Note(snapshot.Connections, "connections open");
        Note(reactor.Memory.SmallBlocks.CreatedCount - reactor.Memory.SmallBlocks.HomeCount, "small blocks not returned");
        Note(reactor.Memory.LargeBlocks.CreatedCount - reactor.Memory.LargeBlocks.HomeCount, "large blocks not returned");
        return left;

        void Note(int count, string what)
        {
            if (count != 0)
            {
                left.Add($"reactor {reactor.Id}: {count} {what}");
            }
        }

        string Describe(ICompletionTarget target) => target is WakeTarget ? "wake" : $"{target.GetType().Name} {target}";
    }
}
