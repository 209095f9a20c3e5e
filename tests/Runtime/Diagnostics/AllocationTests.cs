namespace Ioxide.Tests;

/// <summary>
/// Posts and delays of a warm reactor allocate nothing of their own. Bytes are those of the reactor's thread; the bound leaves
/// room for a queue that doubles once, not for one byte an operation.
/// </summary>
public class AllocationTests(ITestOutputHelper output) : ReactorTests(OneReactor)
{
    private const long BoundBytes = 16 * 1024;

    [Fact]
    public async Task AHundredThousandPostsAllocateNothing()
    {
        await new Posts(Fixture[0], 10_000).RunAsync().Within(20.Seconds());
        long bytes = await new Posts(Fixture[0], 100_000).RunAsync().Within(20.Seconds());

        output.WriteLine($"{bytes} bytes");
        Assert.InRange(bytes, 0, BoundBytes);
    }

    [Fact]
    public async Task TenThousandDelaysAllocateNothing()
    {
        await new Delays(Fixture[0], loops: 100, rounds: 10).RunAsync().Within(20.Seconds());
        long bytes = await new Delays(Fixture[0], loops: 100, rounds: 100).RunAsync().Within(20.Seconds());

        output.WriteLine($"{bytes} bytes");
        Assert.InRange(bytes, 0, BoundBytes);
    }

    [Fact]
    public async Task TenThousandReferencesAllocateNothing()
    {
        const int Count = 10_000;
        const int Warmups = 5;
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
        byte[] body = GC.AllocateArray<byte>(10_000, pinned: true);
        Task<byte[]> receiving = pair.Client.ReceiveToEndAsync();
        for (int warmup = 0; warmup < Warmups; warmup++)
        {
            await SendAsync(1000);
        }

        long bytes = await SendAsync(Count);
        await pair.Server.Reactor.RunAsync(() => pair.Server.Output.Complete());
        Assert.Equal(((Warmups * 1000) + Count) * body.Length, (await receiving.Within(60.Seconds())).Length);

        output.WriteLine($"{bytes} bytes");
        Assert.InRange(bytes, 0, BoundBytes);

        Task<long> SendAsync(int count) => pair.Server.Reactor.RunAsync(async () =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int index = 0; index < count; index++)
            {
                pair.Server.Output.Append(body);
                await pair.Server.Output.FlushAsync();
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).Within(60.Seconds());
    }

    [Fact]
    public async Task WhatDoesAllocateIsSeen()
    {
        long bytes = await Fixture[0].RunAsync(() =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int index = 0; index < 10_000; index++)
            {
                GC.KeepAlive(new object());
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }).Within(20.Seconds());

        Assert.True(bytes > BoundBytes, $"{bytes} bytes");
    }

    private sealed class Posts(Reactor reactor, int count)
    {
        private static readonly Action<object?> s_next = static posts => ((Posts)posts!).Next();
        private static readonly Action<object?> s_nothing = static _ => { };

        private readonly TaskCompletionSource<long> _ended = Waits.Signal<long>();
        private long _before;
        private int _left = count;

        internal Task<long> RunAsync()
        {
            reactor.Post(
                static posts =>
                {
                    var self = (Posts)posts!;
                    self._before = GC.GetAllocatedBytesForCurrentThread();
                    self.Next();
                },
                this);
            return _ended.Task;
        }

        private void Next()
        {
            if (_left <= 0)
            {
                _ended.SetResult(GC.GetAllocatedBytesForCurrentThread() - _before);
                return;
            }

            for (int burst = 0; burst < 99; burst++)
            {
                reactor.Post(s_nothing, null);
            }

            _left -= 100;
            reactor.Post(s_next, this);
        }
    }

    /// <summary>Loops that await one delay after the other, without the compiler's state machines.</summary>
    private sealed class Delays
    {
        private readonly TaskCompletionSource<long> _ended = Waits.Signal<long>();
        private readonly Reactor _reactor;
        private readonly Loop[] _loops;
        private int _running;
        private long _before;

        internal Delays(Reactor reactor, int loops, int rounds)
        {
            _reactor = reactor;
            _loops = [.. Enumerable.Range(0, loops).Select(_ => new Loop(this, rounds))];
        }

        internal Task<long> RunAsync()
        {
            _reactor.Post(
                static delays =>
                {
                    var self = (Delays)delays!;
                    self._running = self._loops.Length;
                    self._before = GC.GetAllocatedBytesForCurrentThread();
                    foreach (Loop loop in self._loops)
                    {
                        loop.Next();
                    }
                },
                this);
            return _ended.Task;
        }

        private void LoopEnded()
        {
            if (--_running == 0)
            {
                _ended.SetResult(GC.GetAllocatedBytesForCurrentThread() - _before);
            }
        }

        private sealed class Loop
        {
            private readonly Delays _owner;
            private readonly Action _resume;
            private System.Runtime.CompilerServices.ValueTaskAwaiter _awaiter;
            private int _left;

            internal Loop(Delays owner, int rounds)
            {
                _owner = owner;
                _left = rounds;
                _resume = Resume;
            }

            internal void Next()
            {
                if (_left-- == 0)
                {
                    _owner.LoopEnded();
                    return;
                }

#pragma warning disable CA2012 // The awaiter is kept for one completion, as the compiler's state machine would keep it.
                _awaiter = _owner._reactor.DelayAsync(TimeSpan.FromMilliseconds(1)).GetAwaiter();
#pragma warning restore CA2012
                _awaiter.UnsafeOnCompleted(_resume);
            }

            private void Resume()
            {
                _awaiter.GetResult();
                Next();
            }
        }
    }
}
