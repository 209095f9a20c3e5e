using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Ioxide.Tests;

/// <summary>A delay of a reactor ends on the reactor, never early, once, and also where the reactor ends first.</summary>
public class DelayTests(ITestOutputHelper output) : ReactorTests
{
    [Fact]
    public async Task NeverEndsEarly()
    {
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        Reactor reactor = Fixture[0];
        TimeSpan[] delays = [.. Enumerable.Range(0, 500).Select(_ => TimeSpan.FromMilliseconds(random.NextDouble() * 200)), TimeSpan.Zero];
        TimeSpan[] elapsed = await reactor.RunAsync(() => Task.WhenAll(delays.Select(async delay =>
        {
            long start = Stopwatch.GetTimestamp();
            await reactor.DelayAsync(delay);
            Assert.True(reactor.IsCurrent);
            return Stopwatch.GetElapsedTime(start);
        }))).Within(20.Seconds());

        Assert.All(delays.Zip(elapsed), pair => Assert.True(pair.Second >= pair.First, $"{pair.First} ended after {pair.Second}"));
    }

    [Fact]
    public async Task EndsInTheOrderOfTheDeadlines()
    {
        // A machine that is slow to compile must not come to the last of them behind the deadline of another.
        int[] delaysMs = [450, 50, 350, 150, 0, 250];
        Reactor reactor = Fixture[0];
        var order = new List<int>();
        await reactor.RunAsync(() => Task.WhenAll(delaysMs.Select(async delayMs =>
        {
            await reactor.DelayAsync(delayMs.Milliseconds());
            order.Add(delayMs);
        }))).Within(20.Seconds());

        Assert.Equal(delaysMs.Order(), order);
    }

    [Fact]
    public async Task TenThousandAtOnceAllEnd()
    {
        Reactor reactor = Fixture[0];
        int ended = 0;
        await reactor.RunAsync(() => Task.WhenAll(Enumerable.Range(0, 10_000).Select(async index =>
        {
            await reactor.DelayAsync((index % 100).Milliseconds());
            ended++;
        }))).Within(20.Seconds());

        Assert.Equal((10_000, 0), (ended, reactor.Timers.Count));
    }

    [Fact]
    public async Task StartedElsewhereItEndsOnTheReactor()
    {
        using var release = new Blocker();
        Fixture[1].Post(_ => release.Hold(), null);
        Task<Reactor?> delayed = await Task.Run(() =>
        {
            Assert.Null(Reactor.Current);
            return Task.FromResult(DelayedAsync());
        }).Within(20.Seconds());

        // The delay cannot end before somebody awaits it.
        release.Release();
        Reactor? after = await delayed.Within(20.Seconds());

        Assert.Same(Fixture[1], after);
        await Fixture[0].DelayAsync(1.Milliseconds()).Within(20.Seconds());

        async Task<Reactor?> DelayedAsync()
        {
            await Fixture[1].DelayAsync(5.Milliseconds());
            return Reactor.Current;
        }
    }

    [Theory, AllValues]
    public async Task CancelledItEndsAtOnceAndLeavesNoTimer(bool isOnReactor)
    {
        Reactor reactor = Fixture[0];
        using var source = new CancellationTokenSource();
        Task delay = isOnReactor
            ? reactor.RunAsync(() => reactor.DelayAsync(TimeSpan.FromDays(1), source.Token).AsTask())
            : reactor.DelayAsync(TimeSpan.FromDays(1), source.Token).AsTask();
        await reactor.RunAsync(() => { }).Within(20.Seconds());
        Assert.Equal(1, await reactor.RunAsync(() => reactor.Timers.Count).Within(20.Seconds()));

        await source.CancelAsync();
        OperationCanceledException exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => delay.Within(20.Seconds()));
        Assert.Equal(source.Token, exception.CancellationToken);
        Assert.Equal(0, await reactor.RunAsync(() => reactor.Timers.Count).Within(20.Seconds()));
    }

    [Fact]
    public async Task CancelledBeforehandItNeverStarts()
    {
        ValueTask delay = Fixture[0].DelayAsync(TimeSpan.FromDays(1), new CancellationToken(canceled: true));

        Assert.True(delay.IsCanceled);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => delay.Within(20.Seconds()));
    }

    [Fact]
    public async Task CancellingLateTouchesNoLaterDelay()
    {
        Reactor reactor = Fixture[0];
        await reactor.RunAsync(async () =>
        {
            for (int round = 0; round < 50; round++)
            {
                using var source = new CancellationTokenSource();
                await reactor.DelayAsync(TimeSpan.Zero, source.Token);

                // The same object serves the next delay; the old token must not reach it.
                ValueTask next = reactor.DelayAsync(1.Milliseconds());
                source.Cancel();
                await next;
            }
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task CancellingInTheTurnOfTheDeadlineDoesNotReachTheNextDelayOfTheSameObject()
    {
        Reactor reactor = Fixture[0];
        await reactor.RunAsync(async () =>
        {
            using var source = new CancellationTokenSource();
            Task canceller = CancelAsync(source);
            Task cancelled = DelayTwiceAsync(source.Token);

            // Both fall due in one turn: the first cancels the second, which fires before the cancellation is looked at.
            long start = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(start) < 10.Milliseconds())
            {
                Thread.SpinWait(100);
            }

            await Task.WhenAll(canceller, cancelled);
        }).Within(20.Seconds());

        async Task CancelAsync(CancellationTokenSource source)
        {
            await reactor.DelayAsync(1.Milliseconds());
            source.Cancel();
        }

        async Task DelayTwiceAsync(CancellationToken token)
        {
            await reactor.DelayAsync(5.Milliseconds(), token);
            Assert.True(token.IsCancellationRequested);
            await reactor.DelayAsync(5.Milliseconds(), CancellationToken.None);
        }
    }

    [Fact]
    public async Task CancellingRacesWithTheDeadlineAndEndsEachDelayOnce()
    {
        Reactor reactor = Fixture[0];
        int cancelled = 0;
        int completed = 0;
        for (int round = 0; round < 300; round++)
        {
            using var source = new CancellationTokenSource();
            Task delay = reactor.DelayAsync(1.Milliseconds(), source.Token).AsTask();
            Thread.SpinWait(round * 300);
            await source.CancelAsync();
            try
            {
                await delay.Within(20.Seconds());
                completed++;
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }
        }

        output.WriteLine($"{cancelled} cancelled, {completed} completed");
        Assert.Equal((300, 0), (cancelled + completed, await reactor.RunAsync(() => reactor.Timers.Count).Within(20.Seconds())));
    }

    [Fact]
    public async Task ADelayOutOfRangeIsRefused()
    {
        using var source = new CancellationTokenSource();

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Fixture[0].DelayAsync(TimeSpan.FromTicks(-1)).AsTask());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Fixture[0].DelayAsync(TimeSpan.FromDays(25)).AsTask());
        ValueTask longest = Fixture[0].DelayAsync(TimeSpan.FromMilliseconds(int.MaxValue), source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => longest.Within(20.Seconds()));
    }

    [Fact]
    public async Task FailsWhereItsReactorEndsFirst()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Task delay = fixture[0].DelayAsync(TimeSpan.FromDays(1)).AsTask();
        await fixture[0].RunAsync(() => { }).Within(20.Seconds());
        await fixture.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => delay.Within(20.Seconds(), "a delay of a reactor that ended"));
    }

    [Fact]
    public async Task FailsOnAReactorThatHasEnded()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Reactor reactor = fixture[0];
        await fixture.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => Task.Run(async () => await reactor.DelayAsync(1.Milliseconds())).Within(20.Seconds(), "a delay of an ended reactor"));
    }

    [Fact]
    public async Task StartedElsewhereByTheThousandItLeavesNoHeapOfUnusedObjects()
    {
        const int Rounds = 20;
        const int DelaysPerRound = 500;
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Reactor reactor = fixture[0];
        for (int round = 0; round < Rounds; round++)
        {
            await Task.WhenAll(Enumerable.Range(0, DelaysPerRound).Select(_ => reactor.DelayAsync(TimeSpan.Zero).AsTask())).Within(20.Seconds());
        }

        // Never more than 500 delays were there at once.
        int kept = await reactor.RunAsync(() => PoolOf(reactor).Count).Within(20.Seconds());
        Assert.True(kept <= DelaysPerRound * 2, $"{kept} unused delays are kept");
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_delays")]
    private static extern ref readonly Stack<DelayOperation> PoolOf(Reactor reactor);
}
