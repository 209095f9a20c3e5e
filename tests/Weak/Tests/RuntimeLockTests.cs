using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>The lock of a few instructions: what its holder wrote is there for the next one, however late the release becomes visible.</summary>
public sealed class RuntimeLockTests
{
    private const int Races = 20;
    private const int Rounds = 5000;
    private const int Threads = 3;

    private RuntimeLock _lock;
    private long _count;

    [Fact]
    public void EachHolderSeesWhatTheOneBeforeWrote()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            _count = 0;
            Action<Random> add = _ =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    using HeldLock held = _lock.Hold();
                    long before = _count;
                    StoreBuffer.Here!.Pause();
                    _count = before + 1;
                }
            };
            Race.Run(race, [.. Enumerable.Repeat(add, Threads)]);
            Assert.Equal(Rounds * Threads, _count);
        }
    }

    [Fact]
    public void ASharedBlockHasOneHolder()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            var pool = new BlockPool(blockSizeBytes: 64, keptCount: 4, static () => { });
            Action<Random> use = random =>
            {
                int mark = random.Next(1, int.MaxValue);
                for (int round = 0; round < Rounds; round++)
                {
                    MemoryBlock block = pool.RentShared();
                    Assert.Equal(0, block.End);
                    block.End = mark;
                    StoreBuffer.Here!.Pause();
                    Assert.Equal(mark, block.End);
                    pool.Return(block);
                }
            };
            Race.Run(race, [.. Enumerable.Repeat(use, Threads)]);
            Assert.Equal(pool.CreatedCount, pool.HomeCount);
        }
    }
}
