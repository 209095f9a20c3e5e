using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>Posted work and sleep: the flag of the sleeper and the queue are written by one side each, and read by the other behind a fence.</summary>
public sealed class WorkQueueTests
{
    private const int Races = 20;
    private const int Rounds = 1000;

    [Fact]
    public void WorkIsSeenByTheSleeperOrItsPosterWakesIt()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            var queue = new WorkQueue();
            int wakes = 0;
            int ran = 0;
            Race.Run(
                race,
                random =>
                {
                    while (ran < Rounds)
                    {
                        while (queue.TryDequeueRemote(out _))
                        {
                            System.Threading.Interlocked.Increment(ref ran);
                        }

                        if (ran < Rounds && queue.TryBeginSleep())
                        {
                            // The call that sleeps is a system call.
                            StoreBuffer.Here!.Drain();
                            Race.Until(() => System.Threading.Interlocked.Exchange(ref wakes, 0) > 0, "a wake-up");
                            queue.EndSleep();
                        }
                    }
                },
                _ =>
                {
                    for (int round = 1; round <= Rounds; round++)
                    {
                        if (queue.EnqueueRemote(WorkItem.Of(queue, static _ => { })))
                        {
                            // So is the one that wakes.
                            StoreBuffer.Here!.Drain();
                            System.Threading.Interlocked.Increment(ref wakes);
                        }

                        int posted = round;
                        Race.Until(() => System.Threading.Volatile.Read(ref ran) >= posted, "the posted work");
                    }
                });
        }
    }
}
