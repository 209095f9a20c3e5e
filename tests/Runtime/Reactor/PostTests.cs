using System.Collections.Concurrent;
using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>
/// Posted work runs once, in the order of its producer, on the reactor, however the post races with the reactor's falling
/// asleep. A lost wake-up shows as a wait that outlasts its bound.
/// </summary>
/// <remarks>Slow: ten million posts take 6 s.</remarks>
public class PostTests(ITestOutputHelper output) : ReactorTests
{
    private static readonly TimeSpan s_lost = Waits.Stretched(20.Seconds());

    [Fact]
    public async Task PostedWorkRunsOnTheReactorAndNeverInsideThePost()
    {
        Reactor reactor = Fixture[1];
        (Reactor? Where, bool Inside) = await reactor.RunAsync(async () =>
        {
            bool isPosting = true;
            TaskCompletionSource<(Reactor?, bool)> ran = Waits.Signal<(Reactor?, bool)>();
            reactor.Post(_ => ran.SetResult((Reactor.Current, isPosting)), null);
            isPosting = false;
            return await ran.Task;
        }).Within(20.Seconds());

        Assert.Same(reactor, Where);
        Assert.False(Inside);
        Assert.Null(Reactor.Current);
    }

    [Fact]
    public async Task WhatPostedCodeSetsInItsExecutionContextTheNextDoesNotSee()
    {
        AsyncLocal<string?> local = new();
        TaskCompletionSource<string?> seen = Waits.Signal<string?>();
        Fixture[0].Post(_ => local.Value = "of the first", null);
        Fixture[0].Post(_ => seen.SetResult(local.Value), null);
        Assert.Null(await seen.Task.Within(20.Seconds()));
    }

    /// <summary>Nor does code that runs after one which suppressed the flow of its context and did not restore it.</summary>
    [Fact]
    public async Task ASuppressedFlowEndsWithTheCodeThatSuppressedIt()
    {
        TaskCompletionSource<bool> isSuppressed = Waits.Signal<bool>();
        Fixture[0].Post(static _ => ExecutionContext.SuppressFlow(), null);
        Fixture[0].Post(_ => isSuppressed.SetResult(ExecutionContext.IsFlowSuppressed()), null);
        Assert.False(await isSuppressed.Task.Within(20.Seconds()));
    }

    [Fact]
    public async Task WorkOfOneProducerRunsInItsOrder()
    {
        const int Posts = 100_000;
        var order = new List<int>(Posts);
        for (int index = 0; index < Posts; index++)
        {
            Fixture[0].Post(state => order.Add((int)state!), index);
        }

        await Fixture[0].RunAsync(() => { }).Within(s_lost);
        Assert.Equal(Enumerable.Range(0, Posts), order);
    }

    [Fact]
    public async Task TenMillionPostsOfTwoThreadsRaceWithSleepAndNoneIsLostOrOvertaken()
    {
        const int PostsPerThread = 5_000_000;
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        var producers = new Producer[] { new(fixture[0], seed), new(fixture[0], seed + 1) };
        Thread[] threads = [.. producers.Select(producer => new Thread(() => producer.Run(PostsPerThread)) { IsBackground = true })];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        foreach (Thread thread in threads)
        {
            Assert.True(thread.Join(Waits.Stretched(60.Seconds())), "The producers did not end.");
        }

        Assert.All(producers, producer => Assert.Null(producer.Problem));
        Assert.All(producers, producer => Assert.Equal(PostsPerThread, producer.Ran));
        long sleeps = fixture[0].Snapshot().Completions;
        output.WriteLine($"{sleeps} wake-ups");
        Assert.True(sleeps > 1000, $"Only {sleeps} wake-ups: the posts did not race with sleep.");
    }

    [Fact]
    public async Task AMillionPostsBetweenReactorsRaceWithSleepAndNoneIsLost()
    {
        const int PostsPerReactor = 500_000;
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        var chains = new Chain[] { new(Fixture[0], Fixture[1], seed, PostsPerReactor), new(Fixture[1], Fixture[0], seed + 1, PostsPerReactor) };
        foreach (Chain chain in chains)
        {
            chain.Start();
        }

        await Task.WhenAll(chains.Select(chain => chain.Ended)).Within(30.Seconds());
        Assert.All(chains, chain => Assert.Equal(PostsPerReactor, chain.Ran));

        // Nothing else completes on these reactors.
        long sleeps = Fixture.Reactors.Sum(reactor => reactor.Snapshot().Completions);
        output.WriteLine($"{sleeps} wake-ups");
        Assert.True(sleeps > 1000, $"Only {sleeps} wake-ups: the posts did not race with sleep.");
    }

    /// <summary>The one that wakes must wake at once, or nobody does: later posts see that the sleeper was woken.</summary>
    [Fact]
    public async Task AReactorThatPostsAndThenComputesKeepsNobodyFromWakingTheOther()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 2);
        for (int round = 0; round < 20; round++)
        {
            int ran = 0;
            TaskCompletionSource<bool> computing = Waits.Signal<bool>();
            Task<bool> turn = fixture[0].RunAsync(() =>
            {
                // A post reaches a reactor that sleeps; the turn below does not end before both have run.
                Thread.SpinWait(20_000);
                fixture[1].Post(_ => Interlocked.Increment(ref ran), null);
                computing.SetResult(true);
                return Task.FromResult(SpinWait.SpinUntil(() => Volatile.Read(ref ran) == 2, s_lost));
            });
            await computing.Task.Within(20.Seconds());
            fixture[1].Post(_ => Interlocked.Increment(ref ran), null);

            Assert.True(await turn.Within(40.Seconds()), $"round {round}: {ran} of 2 posts ran beside a turn that does not end");
        }
    }

    [Fact]
    public async Task WorkOfBothKindsRunsWhileTheOtherNeverEnds()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        using var stop = new CancellationTokenSource();
        Task loop = reactor.RunAsync(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await Task.Yield();
            }
        });
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
        for (int round = 0; round < 200; round++)
        {
            await reactor.RunAsync(() => { }).Within(20.Seconds(), "a post behind a loop of yields");
        }

        await reactor.RunAsync(() => reactor.DelayAsync(1.Milliseconds()).AsTask()).Within(20.Seconds(), "a delay behind a loop of yields");
        await pair.Client.SendAllAsync(new byte[10]);
        Assert.Equal(10, (await pair.Server.Input.ReadAsync().Within(20.Seconds(), "a receive behind a loop of yields")).Buffer.Length);
        await stop.CancelAsync();
        await loop.Within(20.Seconds());
    }

    [Fact]
    public async Task AThreadThatNeverStopsPostingDoesNotKeepTimersAndSocketsWaiting()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        int ran = 0;
        bool isStopped = false;
        var flood = new Thread(() =>
        {
            for (int posted = 0; !Volatile.Read(ref isStopped);)
            {
                if (posted - Volatile.Read(ref ran) < 100_000)
                {
                    reactor.Post(_ => ran++, null);
                    posted++;
                }
            }
        });
        flood.Start();
        try
        {
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);
            for (int round = 0; round < 20; round++)
            {
                await reactor.DelayAsync(1.Milliseconds()).Within(20.Seconds(), "a delay behind a flood of posts");
            }

            await pair.Client.SendAllAsync(new byte[10]);
            Assert.Equal(10, (await pair.Server.Input.ReadAsync().Within(20.Seconds(), "a receive behind a flood of posts")).Buffer.Length);
        }
        finally
        {
            Volatile.Write(ref isStopped, true);
            flood.Join();
        }
    }

    [Fact]
    public async Task AnExceptionInPostedWorkIsReportedAndTheReactorGoesOn()
    {
        Fixture.ExpectsExceptions = true;
        Fixture[0].Post(_ => throw new InvalidOperationException("first"), null);
        Fixture[0].Post(_ => throw new InvalidOperationException("second"), null);
        await Fixture[0].RunAsync(() => { }).Within(20.Seconds());

        Assert.Equal(
            [(0, "first"), (0, "second")],
            Fixture.Events.Of(RecordedEvents.Kind.Unhandled).Select(report => (report.ReactorId, report.Exception!.Message)));
        Assert.Empty(Fixture.Events.Of(RecordedEvents.Kind.Faulted));
    }

    [Fact]
    public async Task PostingToAReactorThatHasEndedThrows()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Reactor reactor = fixture[0];
        reactor.Post(_ => { }, null);
        await fixture.DisposeAsync();

        ObjectDisposedException exception = Assert.Throws<ObjectDisposedException>(() => reactor.Post(_ => { }, null));
        Assert.Contains("Reactor 0 has ended", exception.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => reactor.Post(null!, null));
    }

    [Fact]
    public async Task WhatWasAcceptedBeforeTheEndRunsThoughReactorsAreStoppedUnderLoad()
    {
        for (int round = 0; round < 20; round++)
        {
            await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
            Reactor reactor = fixture[0];
            int ran = 0;
            int accepted = 0;
            Thread[] threads = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                while (true)
                {
                    // The queue has no bound of its own; the end would be behind everything that is posted before it.
                    if (Volatile.Read(ref accepted) - Volatile.Read(ref ran) > 10_000)
                    {
                        Thread.Yield();
                    }
                    else if (reactor.TryEnqueue(reactor, _ => Interlocked.Increment(ref ran)))
                    {
                        Interlocked.Increment(ref accepted);
                    }
                    else
                    {
                        return;
                    }
                }
            })
            {
                IsBackground = true,
            })];
            foreach (Thread thread in threads)
            {
                thread.Start();
            }

            await Waits.Eventually(() => Volatile.Read(ref ran) > 1000, 20.Seconds());
            await fixture.DisposeAsync();
            Assert.All(threads, thread => Assert.True(thread.Join(20.Seconds())));
            Assert.Equal(accepted, ran);
        }
    }

    [Fact]
    public async Task AReactorEndsThoughItsWorkPostsItselfAgainForEver()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        bool isOver = false;
        TaskCompletionSource refused = Waits.Signal();
        reactor.Post(Again, null);
        await AssertEndsAsync(fixture, () => Volatile.Write(ref isOver, true));
        await refused.Task.Within(20.Seconds(), "the last post is refused");

        void Again(object? state)
        {
            try
            {
                // What the end found waiting runs on the thread pool, perhaps after the test has set its flag.
                if (!Volatile.Read(ref isOver) || reactor.HasEnded)
                {
                    reactor.Post(Again, null);
                }
            }
            catch (ObjectDisposedException)
            {
                refused.SetResult();
            }
        }
    }

    [Fact]
    public async Task AReactorEndsThoughALoopOfYieldsNeverDoes()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        bool isOver = false;
        _ = fixture[0].RunAsync(async () =>
        {
            while (!Volatile.Read(ref isOver))
            {
                await Task.Yield();
            }
        });

        await AssertEndsAsync(fixture, () => Volatile.Write(ref isOver, true));
    }

    [Fact]
    public async Task WhatAnEndingReactorPostsToAnotherWakesIt()
    {
        TaskCompletionSource ran = Waits.Signal();
        await Fixture[0].RunAsync(() => Fixture[0].AddService(new OnEnd(() => Fixture[1].Post(_ => ran.SetResult(), null))));
        await Fixture[1].RunAsync(() => { }).Within(20.Seconds());
        await Waits.Eventually(() => Fixture[1].Clock.Started == 0, 20.Seconds(), "reactor 1 sleeps");

        Fixture[0].RequestStop();
        await Fixture[0].Ended.Within(20.Seconds());
        try
        {
            await ran.Task.Within(20.Seconds(), "work that reactor 0 posted when it ended");
        }
        finally
        {
            // Whoever took the wake flag without waking leaves the reactor deaf; another way in lets the test end.
            WakeByHand(Fixture[1]);
        }
    }

    private static async Task AssertEndsAsync(ReactorFixture fixture, Action endByHand)
    {
        await fixture[0].RunAsync(() => { }).Within(20.Seconds());
        Task stopped = fixture.Group.StopAsync(new CancellationToken(canceled: true));
        try
        {
            await stopped.Within(20.Seconds(), "the reactor has ended");
        }
        finally
        {
            endByHand();
            await stopped.Within(20.Seconds());
        }
    }

    private static void WakeByHand(Reactor reactor) => WakeTargetOf(reactor).Wake();

    [System.Runtime.CompilerServices.UnsafeAccessor(System.Runtime.CompilerServices.UnsafeAccessorKind.Field, Name = "_wakeTarget")]
    private static extern ref readonly WakeTarget WakeTargetOf(Reactor reactor);

    private sealed class OnEnd(Action action) : IDisposable
    {
        public void Dispose() => action();
    }

    /// <summary>Posts batches, most of one to four, and lets the reactor run out of work behind each.</summary>
    private sealed class Producer(Reactor reactor, int seed)
    {
        private long _ran;

        internal string? Problem { get; private set; }

        internal long Ran => Volatile.Read(ref _ran);

        internal void Run(int posts)
        {
            var random = new Random(seed);
            for (int posted = 0; posted < posts && Problem is null;)
            {
                int batch = random.Next(10) > 0 ? random.Next(1, 5) : random.Next(1, 4000);
                for (int end = Math.Min(posts, posted + batch); posted < end; posted++)
                {
                    reactor.Enqueue(WorkItem.Of(this, posted, static (producer, number) => producer.RunOne(number)));
                }

                WaitFor(posted);
                Thread.SpinWait(random.Next(200));
            }
        }

        private void WaitFor(int posted)
        {
            long start = Stopwatch.GetTimestamp();
            var spin = default(SpinWait);
            while (Ran < posted && Problem is null)
            {
                spin.SpinOnce(sleep1Threshold: -1);
                if (Stopwatch.GetElapsedTime(start) > s_lost)
                {
                    Problem = $"{Ran} of {posted} posts ran";
                }
            }
        }

        private void RunOne(long number)
        {
            if (number != _ran)
            {
                Problem ??= $"post {number} ran where {_ran} was due";
            }

            Volatile.Write(ref _ran, _ran + 1);
        }
    }

    /// <summary>One reactor posts batches to another, which asks for the next when it has run one.</summary>
    private sealed class Chain(Reactor from, Reactor to, int seed, int posts)
    {
        private static readonly Action<object?> s_count = static chain => ((Chain)chain!).Ran++;

        private readonly Random _random = new(seed);
        private readonly TaskCompletionSource _ended = Waits.Signal();
        private int _posted;

        internal Task Ended => _ended.Task;

        internal int Ran { get; private set; }

        internal void Start() => from.Post(static chain => ((Chain)chain!).PostBatch(), this);

        private void PostBatch()
        {
            if (_posted == posts)
            {
                _ended.SetResult();
                return;
            }

            int batch = _random.Next(4) > 0 ? _random.Next(1, 4) : _random.Next(1, 400);
            for (int end = Math.Min(posts, _posted + batch); _posted < end; _posted++)
            {
                to.Post(s_count, this);
            }

            to.Post(static chain => ((Chain)chain!).Start(), this);
        }
    }
}
