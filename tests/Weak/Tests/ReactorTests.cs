using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>A real reactor on a real ring, whose stores are held back until each of its system calls.</summary>
public sealed class ReactorTests
{
    private const int Races = 10;
    private const int Rounds = 500;
    private const int Ends = 60;

    [Fact]
    public async Task PostedWorkWakesASleepingReactor()
    {
        SkipWithoutRings();
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1, PlayedKernel = new DrainingKernel() });
        Reactor reactor = group.Reactors[0];
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            var count = new StrongBox<int>();
            int seed = race;
            Race.Run(race, random =>
            {
                reactor.Enqueue(new StrongBox<int>(seed), static seed => StoreBuffer.Begin(seed.Value));
                for (int round = 1; round <= Rounds; round++)
                {
                    reactor.Enqueue(count, static count => System.Threading.Interlocked.Increment(ref count.Value));
                    int posted = round;
                    Race.Until(() => System.Threading.Volatile.Read(ref count.Value) >= posted, "the posted work");
                }

                reactor.Enqueue(count, static count =>
                {
                    StoreBuffer.Here!.Dispose();
                    System.Threading.Interlocked.Increment(ref count.Value);
                });
                Race.Until(() => System.Threading.Volatile.Read(ref count.Value) > Rounds, "the last work");
            });
        }
    }

    [Fact]
    public async Task AcceptedWorkRunsOnceThoughTheReactorEnds()
    {
        SkipWithoutRings();
        for (int end = 0; end < Scale.Of(Ends); end++)
        {
            await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1, PlayedKernel = new DrainingKernel() });
            Reactor reactor = group.Reactors[0];
            var ran = new StrongBox<int>();
            int accepted = 0;
            int seed = end;
            Action<Random> post = _ =>
            {
                while (reactor.TryEnqueue(ran, static ran => System.Threading.Interlocked.Increment(ref ran.Value)))
                {
                    System.Threading.Interlocked.Increment(ref accepted);
                    StoreBuffer.Here!.Pause();
                }
            };
            Race.Run(end, post, post, random =>
            {
                reactor.Enqueue(new StrongBox<int>(seed), static seed => StoreBuffer.Begin(seed.Value));
                Race.Until(() => System.Threading.Volatile.Read(ref ran.Value) > random.Next(100), "the first work");
                reactor.RequestStop();
                StoreBuffer.Here!.Drain();
                Race.Until(() => reactor.Ended.IsCompleted, "the end");
            });
            Assert.Equal(accepted, ran.Value);
        }
    }

    private static void SkipWithoutRings() => Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, "no io_uring");

    /// <summary>Linux: a system call shows the kernel, and whoever it wakes, all stores before it.</summary>
    private sealed unsafe class DrainingKernel : Kernel
    {
        internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        {
            StoreBuffer.Here?.Drain();
            return base.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);
        }

        internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        {
            // What comes between the last look at a queue and the next call may take long.
            for (int yields = 0; StoreBuffer.Here is not null && yields < 4; yields++)
            {
                Thread.Yield();
            }

            StoreBuffer.Here?.Drain();
            return base.RingRegister(fd, opcode, argument, count);
        }

        internal override int Write(int fd, void* buffer, nuint length)
        {
            StoreBuffer.Here?.Drain();
            return base.Write(fd, buffer, length);
        }
    }
}
