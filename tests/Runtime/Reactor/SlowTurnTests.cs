using System.Diagnostics;

namespace Ioxide.Tests;

/// <summary>A turn is slow where a request in it is, and not because it serves many.</summary>
public class SlowTurnTests
{
    private const int MostTries = 100;

    [Fact]
    public async Task ATurnOfManyQuickRequestsIsNotJudged()
    {
        var listener = new CountingListener();
        await using ReactorFixture fixture = Start(listener);

        // A busy host may stretch a turn.
        for (int attempt = 0; attempt < MostTries; attempt++)
        {
            int before = listener.Turns;
            await TurnAsync(fixture[0], requests: 400, microsecondsEach: 50);
            if (listener.Turns == before)
            {
                return;
            }
        }

        Assert.Fail($"Each of {MostTries} turns of quick requests was judged.");
    }

    [Fact]
    public async Task ATurnOfOneSlowRequestIsJudged()
    {
        var listener = new CountingListener();
        await using ReactorFixture fixture = Start(listener);

        // Time in which a busy host runs something else does not count: each try takes longer.
        for (int attempt = 0; listener.Turns == 0 && attempt < MostTries; attempt++)
        {
            await TurnAsync(fixture[0], requests: 1, microsecondsEach: 20_000 * (attempt + 1));
        }

        Assert.NotEqual(0, listener.Turns);
    }

    private static ReactorFixture Start(ISlowTurnListener listener)
        => ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.SlowTurnListener = listener;
        });

    private static async Task TurnAsync(Reactor reactor, int requests, int microsecondsEach)
    {
        await reactor.RunAsync(() =>
        {
            for (int request = 0; request < requests; request++)
            {
                object? outer = reactor.Ran.EnterPipeline(reactor);
                long started = Stopwatch.GetTimestamp();
                while (Stopwatch.GetElapsedTime(started).TotalMicroseconds < microsecondsEach)
                {
                }

                reactor.Ran.Leave(outer);
            }
        }).Within(20.Seconds());
        await reactor.RunAsync(static () => { }).Within(20.Seconds());
    }

    private sealed class CountingListener : ISlowTurnListener
    {
        private int _turns;

        internal int Turns => Volatile.Read(ref _turns);

        public void TurnWasSlow(Reactor reactor, TimeSpan duration, object[] ran, object? pipeline)
            => Interlocked.Increment(ref _turns);

        public void Blocked(Reactor reactor, TimeSpan duration, object? running)
        {
        }
    }
}
