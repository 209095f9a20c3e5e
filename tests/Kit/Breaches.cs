namespace Ioxide.TestKit;

/// <summary>
/// What <c>Ioxide.BreachHost</c> runs in a process of its own: breaches that must end the process, each beside the same thing
/// done right, and rings under the limits of the process.
/// </summary>
internal static class Breaches
{
    private const int BufferBytes = 256;
    private const ulong NobodysUserData = 0x0100_0003_0000_0007;

    // An emulated machine takes seconds to end a process.
    private const int LongestEndMs = 60_000;

    internal static async Task<int> RunAsync(string name)
    {
        switch (name)
        {
            case "buffer-returned-once":
                WithBuffers(static buffers => buffers.Return(buffers.Take(0, 1)));
                break;
            case "buffer-returned-twice":
                WithBuffers(static buffers =>
                {
                    ReceiveSegment segment = buffers.Take(0, 1);
                    buffers.Return(segment);
                    buffers.Return(segment);
                });
                break;
            case "buffer-taken-twice":
                WithBuffers(static buffers =>
                {
                    buffers.Take(1, 1);
                    buffers.Take(1, 1);
                });
                break;
            case "buffer-too-long":
                WithBuffers(static buffers => buffers.Take(0, BufferBytes + 1));
                break;
            case "buffer-of-another-ring":
                WithBuffers(static buffers => WithBuffers(other => other.Return(buffers.Take(0, 1))));
                break;
            case "slot-at-rest":
                GiveSlotBack(isInFlight: false);
                break;
            case "slot-in-flight":
                GiveSlotBack(isInFlight: true);
                break;
            case "slot-twice":
                GiveSlotBackTwice();
                break;
            case "completion-in-time":
                CompleteInAUsedSlot(isLate: false);
                break;
            case "completion-late":
                CompleteInAUsedSlot(isLate: true);
                break;
            case "completion-known":
                await CompleteAsync(isKnown: true).ConfigureAwait(false);
                break;
            case "completion-unknown":
                await CompleteAsync(isKnown: false).ConfigureAwait(false);
                break;
            case "service-throws":
                await EndWithThrowingServiceAsync().ConfigureAwait(false);
                break;
            case "async-void-throws":
                await ThrowOnAReactorAsync(static _ => ThrowLaterAsync(), LongestEndMs).ConfigureAwait(false);
                break;
            case "post-throws":
                await ThrowOnAReactorAsync(static _ => throw new InvalidOperationException("thrown by a post"), waitMs: 500).ConfigureAwait(false);
                break;
            case "probe":
                Console.WriteLine($"{RingProbe.Check()}|{RingProbe.Explain()?.Message}|{RingProbe.Explain()?.Remedy}");
                break;
            case "probe-without-descriptors":
                ProbeWithoutDescriptors();
                break;
            case "start":
                await StartAsync().ConfigureAwait(false);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(name), name, "No such breach.");
        }

        Console.WriteLine("done");
        return 0;
    }

    private static async Task ThrowOnAReactorAsync(Action<object?> callback, int waitMs)
    {
        await using var group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        group.Reactors[0].Post(callback, null);
        await Task.Delay(waitMs).ConfigureAwait(false);
    }

    private static async void ThrowLaterAsync()
    {
        await Task.Yield();
        throw new InvalidOperationException("thrown by an async void");
    }

    private static void WithBuffers(Action<BufferRing> action)
    {
        using Ring ring = Ring.Create(new RingOptions(8, 16));
        ring.Enable();
        using var buffers = new BufferRing(ring, 0, BufferBytes, initialCount: 2, maxCount: 2);
        action(buffers);
    }

    private static void GiveSlotBack(bool isInFlight)
    {
        var table = new OperationTable();
        int slot = table.Add(new NoTarget());
        OperationId id = table.Begin(OperationKind.Nop, slot);
        if (!isInFlight)
        {
            table.End(id, flags: 0);
        }

        table.Remove(slot);
    }

    private static void GiveSlotBackTwice()
    {
        var table = new OperationTable();
        int slot = table.Add(new NoTarget());
        table.Remove(slot);
        table.Remove(slot);
    }

    /// <summary>The slot has a new target with an operation in flight; what is late is a completion of the target before.</summary>
    private static void CompleteInAUsedSlot(bool isLate)
    {
        var table = new OperationTable();
        int slot = table.Add(new NoTarget());
        OperationId before = table.Begin(OperationKind.Nop, slot);
        table.End(before, flags: 0);
        table.Remove(slot);
        OperationId now = table.Begin(OperationKind.Nop, table.Add(new NoTarget()));
        table.End(isLate ? before : now, flags: 0);
    }

    private static async Task CompleteAsync(bool isKnown)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        var target = new NoTarget();
        await reactor.RunAsync(() =>
        {
            int slot = reactor.Operations.Add(target);
            unsafe
            {
                Sqe* entry = isKnown ? reactor.Prepare(OperationKind.Nop, slot) : reactor.Ring.NextEntry();
                if (!isKnown)
                {
                    entry->UserData = NobodysUserData;
                }
            }
        }).ConfigureAwait(false);
        await target.Completed.Task.Within(20.Seconds()).ConfigureAwait(false);
        await reactor.RunAsync(() => reactor.Operations.Remove(0 + reactor.Operations.Count - 1)).ConfigureAwait(false);
    }

    private static async Task EndWithThrowingServiceAsync()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        fixture.ExpectsExceptions = true;
        await fixture[0].RunAsync(() => fixture[0].AddService(new ThrowingService())).ConfigureAwait(false);
        await fixture.DisposeAsync().ConfigureAwait(false);
        Console.WriteLine($"reported {fixture.Events.Of(RecordedEvents.Kind.Unhandled).Count}");
    }

    private static void ProbeWithoutDescriptors()
    {
        // The runtime needs descriptors to load what a refusal needs; an unused limit would end differently.
        _ = RingProbe.Check();
        _ = new RingUnavailableException(Errno.EMFILE, "warm-up").Message;
        try
        {
            _ = Ring.Create(new RingOptions(0, 0));
        }
        catch (RingUnavailableException)
        {
            // No kernel makes a ring of no entries.
        }

        var taken = new Stack<int>();
        for (int descriptor; (descriptor = Kernel.Linux.EventDescriptor()) >= 0;)
        {
            taken.Push(descriptor);
        }

        // The control: one descriptor for a ring and one for its wake-up counter are enough.
        RingSupport none = RingProbe.Check();
        _ = Kernel.Linux.Close(taken.Pop());
        _ = Kernel.Linux.Close(taken.Pop());
        RingSupport two = RingProbe.Check();
        while (taken.TryPop(out int descriptor))
        {
            _ = Kernel.Linux.Close(descriptor);
        }

        Console.WriteLine($"{none}|{two}");
    }

    private static async Task StartAsync()
    {
        LeakCheck descriptors = LeakCheck.Start();
        try
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            Console.WriteLine(fixture.Group.RingRefusal is { } refusal
                ? $"{fixture.Group.Kernel.Name}|{refusal.Support}|{refusal.Message}|{refusal.Remedy}"
                : $"{fixture.Group.Kernel.Name}|{fixture[1].Ring.Sq.Capacity}|{fixture[1].Ring.Cq.Capacity}");
        }
        catch (RingUnavailableException exception)
        {
            Console.WriteLine($"{exception.Support}|{exception.Message}|{exception.Remedy}");
        }

        Console.WriteLine($"left open {descriptors.Leaked().Count}");
    }

    private sealed class NoTarget : ICompletionTarget
    {
        internal TaskCompletionSource Completed { get; } = Waits.Signal();

        public void Complete(OperationKind kind, int result, uint flags) => Completed.TrySetResult();

        public void ReactorEnded(Exception reason)
        {
        }
    }

    private sealed class ThrowingService : IDisposable
    {
        public void Dispose() => throw new InvalidOperationException("thrown by a service");
    }
}
