using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>
/// A handler that waits long for what threads of the pool want too gets it in its turn: a thread that only looks is in no queue. The waits of
/// both are compared.
/// </summary>
public class QueuedWaitTests() : ReactorTests(OneReactor)
{
    private const int Others = 7;

    // Whoever starves has the lock once, when the others have stopped.
    private const int AtTheEnd = 1;

    /// <summary>
    /// An event is handed to the next in its queue: while the reactor waits, each of the others has it once. A lock that is free goes to whoever comes
    /// first, and beside other work a thread that spins comes before one that is woken: no place and no share is anybody's there, but nobody starves.
    /// </summary>
    [Theory]
    [InlineData("Monitor", false)]
    [InlineData("Lock", false)]
    [InlineData("SemaphoreSlim", false)]
    [InlineData("AutoResetEvent", true)]
    public async Task AWaiterOnAReactorGetsALockInItsTurn(string kind, bool isHandedOver)
    {
        Action<Action> locked = Locks.Make(kind);
        using var end = new CancellationTokenSource();
        int[] uses = new int[1];
        Task<List<Turn>>[] others = [.. Enumerable.Range(0, Others).Select(_ => Task.Factory.StartNew(
            () => TakeTurns(locked, uses, end.Token), TaskCreationOptions.LongRunning))];
        await Task.Delay(100, TestContext.Current.CancellationToken);

        end.CancelAfter(3.Seconds());
        List<Turn> turns = await Fixture[0].RunAsync(() => TakeTurns(locked, uses, end.Token)).Within(60.Seconds());
        Turn[] theirs = [.. (await Task.WhenAll(others).Within(20.Seconds())).SelectMany(static turns => turns)];
        Assert.NotEmpty(turns);
        int passed = Median(turns);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{kind}: reactor {turns.Count} turns, {passed} others before it, p99 {Percentile99(turns):0.0} ms; pool {theirs.Length / Others} each, "
            + $"{Median(theirs)} others, p99 {Percentile99(theirs):0.0} ms");

        Assert.True(turns.Count > AtTheEnd, $"{turns.Count} on the reactor, {theirs.Length / Others} on each of the others");
        Assert.True(!isHandedOver || passed <= Others, $"{passed} had it while the reactor waited, and there are {Others}");
    }

    /// <summary>Its owner is a thread, so no other thread can wait for it.</summary>
    [Fact]
    public async Task AMutexBelongsToTheThreadThatWaitsForIt()
    {
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

        await Fixture[0].RunAsync(() =>
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

        await Fixture[0].RunAsync(() =>
        {
            Assert.Throws<AbandonedMutexException>(() => mutex.WaitOne());
            mutex.ReleaseMutex();
        }).Within(20.Seconds());
    }

    [Fact]
    public async Task AnInterruptEndsALongWait()
    {
        using var never = new ManualResetEvent(false);
        Thread? thread = null;
        Task blocked = Fixture[0].RunAsync(() =>
        {
            thread = Thread.CurrentThread;
            Assert.Throws<ThreadInterruptedException>(() => never.WaitOne());
        });
        await Waits.Eventually(() => Fixture[0].IsBlocked, 20.Seconds());
        await Task.Delay(50, TestContext.Current.CancellationToken);
        thread!.Interrupt();
        await blocked.Within(20.Seconds());
    }

    [Fact]
    public async Task ASignalIsTakenOnce()
    {
        using var semaphore = new Semaphore(0, 1000);
        Task<int> taken = Fixture[0].RunAsync(() =>
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

    private static List<Turn> TakeTurns(Action<Action> locked, int[] uses, CancellationToken end)
    {
        List<Turn> turns = [];
        while (!end.IsCancellationRequested)
        {
            int before = Volatile.Read(ref uses[0]);
            long started = Stopwatch.GetTimestamp();
            locked(() =>
            {
                turns.Add(new Turn(Interlocked.Increment(ref uses[0]) - 1 - before, Stopwatch.GetElapsedTime(started).TotalMilliseconds));
                Thread.Sleep(2);
            });

            // Until the client's next request is here.
            Thread.Sleep(1);
        }

        return turns;
    }

    private static int Median(IEnumerable<Turn> turns)
    {
        int[] passed = [.. turns.Select(static turn => turn.Passed).Order()];
        return passed[passed.Length / 2];
    }

    private static double Percentile99(IEnumerable<Turn> turns)
    {
        double[] waits = [.. turns.Select(static turn => turn.WaitMs).Order()];
        return waits[waits.Length * 99 / 100];
    }

    /// <summary>One time that a thread had the lock.</summary>
    /// <param name="Passed">How often others had it since the thread asked.</param>
    /// <param name="WaitMs">How long it waited.</param>
    private readonly record struct Turn(int Passed, double WaitMs);

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
