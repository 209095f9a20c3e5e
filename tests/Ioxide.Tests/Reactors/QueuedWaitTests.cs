using System.Diagnostics;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>
/// A handler that waits long for what threads of the pool want too gets it in its turn: a thread that only looks is in no queue. The waits of
/// both are compared.
/// </summary>
public class QueuedWaitTests
{
    private const int Others = 7;

    /// <summary>
    /// An event is handed to the next in its queue. A lock that is free goes to whoever comes first, and beside other work a thread that spins comes
    /// before one that is woken: no share is anybody's there, but nobody starves.
    /// </summary>
    [Theory]
    [InlineData("Monitor", 10)]
    [InlineData("Lock", 10)]
    [InlineData("SemaphoreSlim", 10)]
    [InlineData("AutoResetEvent", 85)]
    public async Task AWaiterOnAReactorGetsALockInItsTurn(string kind, int leastPercent)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        Action<Action> locked = Locks.Make(kind);
        using var end = new CancellationTokenSource();
        Task<List<double>>[] others = [.. Enumerable.Range(0, Others).Select(_ => Task.Factory.StartNew(
            () => MeasureWaits(locked, end.Token), TaskCreationOptions.LongRunning))];
        await Task.Delay(100, TestContext.Current.CancellationToken);

        end.CancelAfter(3.Seconds());
        List<double> waits = await fixture[0].RunAsync(() => MeasureWaits(locked, end.Token)).Within(60.Seconds());
        double[] theirs = [.. (await Task.WhenAll(others).Within(20.Seconds())).SelectMany(static waits => waits).Order()];
        waits.Sort();
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{kind}: reactor {waits.Count} waits, p50 {Percentile(waits, 50):0.0} p99 {Percentile(waits, 99):0.0} ms; pool {theirs.Length / Others} "
            + $"each, p50 {Percentile(theirs, 50):0.0} p99 {Percentile(theirs, 99):0.0} ms");

        Assert.True(
            waits.Count * 100 >= theirs.Length / Others * leastPercent,
            $"{waits.Count} on the reactor, {theirs.Length / Others} on each of the others");
    }

    /// <summary>Its owner is a thread, so no other thread can wait for it.</summary>
    [Fact]
    public async Task AMutexBelongsToTheThreadThatWaitsForIt()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using var mutex = new Mutex();
        using var taken = new ManualResetEventSlim();
        Task holder = Task.Factory.StartNew(
            () =>
            {
                mutex.WaitOne();
                taken.Set();
                Thread.Sleep(100);
                mutex.ReleaseMutex();
            },
            TaskCreationOptions.LongRunning);
        Assert.True(taken.Wait(20.Seconds(), TestContext.Current.CancellationToken));

        await fixture[0].RunAsync(() =>
        {
            mutex.WaitOne();
            mutex.ReleaseMutex();
        }).Within(20.Seconds());
        await holder;
        Assert.True(mutex.WaitOne(0), "nobody holds it");
        mutex.ReleaseMutex();
    }

    [Fact]
    public async Task AnAbandonedMutexIsToldToTheThreadThatWaitsForIt()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using var mutex = new Mutex();
        using var taken = new ManualResetEventSlim();
        var holder = new Thread(() =>
        {
            mutex.WaitOne();
            taken.Set();
            Thread.Sleep(100);
        });
        holder.Start();
        Assert.True(taken.Wait(20.Seconds(), TestContext.Current.CancellationToken));

        await fixture[0].RunAsync(() =>
        {
            Assert.Throws<AbandonedMutexException>(() => mutex.WaitOne());
            mutex.ReleaseMutex();
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task AnInterruptEndsALongWait()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using var never = new ManualResetEvent(false);
        Thread? thread = null;
        Task blocked = fixture[0].RunAsync(() =>
        {
            thread = Thread.CurrentThread;
            Assert.Throws<ThreadInterruptedException>(() => never.WaitOne());
        });
        await Waits.Eventually(() => fixture[0].IsBlocked, 20.Seconds());
        await Task.Delay(50, TestContext.Current.CancellationToken);
        thread!.Interrupt();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task ASignalIsTakenOnce()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using var semaphore = new Semaphore(0, 1000);
        Task<int> taken = fixture[0].RunAsync(() =>
        {
            int count = 0;
            while (semaphore.WaitOne(500))
            {
                count++;
            }

            return count;
        });
        for (int round = 0; round < 100; round++)
        {
            semaphore.Release();
            await Task.Delay(round % 9, TestContext.Current.CancellationToken);
        }

        Assert.Equal(100, await taken.Within(60.Seconds()));
    }

    private static double Percentile(IReadOnlyList<double> sorted, int percent) => sorted.Count == 0 ? 0 : sorted[(sorted.Count - 1) * percent / 100];

    private static List<double> MeasureWaits(Action<Action> locked, CancellationToken end)
    {
        List<double> waits = [];
        while (!end.IsCancellationRequested)
        {
            long started = Stopwatch.GetTimestamp();
            locked(() =>
            {
                waits.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                Thread.Sleep(2);
            });

            // Until the client's next request is here.
            Thread.Sleep(1);
        }

        return waits;
    }

    private static class Locks
    {
        internal static Action<Action> Make(string kind)
        {
            object monitor = new();
            Lock @lock = new();
            SemaphoreSlim slim = new(1, 1);
            AutoResetEvent free = new(true);
            return action =>
            {
                Enter();
                action();
                Leave();
            };

            void Enter()
            {
                switch (kind)
                {
                    case "Monitor":
                        Monitor.Enter(monitor);
                        break;
                    case "Lock":
                        @lock.Enter();
                        break;
                    case "SemaphoreSlim":
                        slim.Wait();
                        break;
                    default:
                        free.WaitOne();
                        break;
                }
            }

            void Leave()
            {
                switch (kind)
                {
                    case "Monitor":
                        Monitor.Exit(monitor);
                        break;
                    case "Lock":
                        @lock.Exit();
                        break;
                    case "SemaphoreSlim":
                        slim.Release();
                        break;
                    default:
                        free.Set();
                        break;
                }
            }
        }
    }
}
