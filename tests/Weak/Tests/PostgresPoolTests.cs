using Ioxide.Pg;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>Where threads and reactors meet in the driver's pool: the connection at hand, and a pool that is asked to help another.</summary>
public sealed class PostgresPoolTests
{
    private const int Races = 20;
    private const int Rounds = 500;

    [Fact]
    public void AWantedConnectionDoesNotStayAtHand()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            ReactorPool[] pools = [.. Enumerable.Range(0, Rounds).Select(static _ => new ReactorPool())];
            AtHandSlot[] slots = [.. pools.Select(static pool => new AtHandSlot(pool))];
            var connection = new ServerConnection();
            bool[] isGivenBack = new bool[Rounds];
            bool[] isTakenBack = new bool[Rounds];
            var meeting = new Meeting(threads: 2);
            Race.Run(
                race,
                _ =>
                {
                    for (int round = 0; round < Rounds; round++)
                    {
                        meeting.Wait();
                        isGivenBack[round] = !slots[round].TryKeep(connection);
                    }
                },
                _ =>
                {
                    for (int round = 0; round < Rounds; round++)
                    {
                        meeting.Wait();
                        pools[round].IsWanted = true;
                        isTakenBack[round] = slots[round].TakeBack() is not null;
                    }
                });
            for (int round = 0; round < Rounds; round++)
            {
                Assert.False(slots[round].IsTaken, $"race {race}: the connection of round {round} stays though it is wanted");
                Assert.True(isGivenBack[round] != isTakenBack[round], $"race {race}: the connection of round {round} has no owner, or two");
            }
        }
    }

    [Fact]
    public void WhoAsksForHelpIsSeenByTheLookOrStartsAnother()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            AskFlag asked = default;
            int looks = 0;
            int need = 0;
            int seen = 0;
            Race.Run(
                race,
                _ =>
                {
                    for (int round = 1; round <= Rounds; round++)
                    {
                        // Twice, so that one is asked for while the look for the other begins.
                        for (int step = 0; step < 2; step++)
                        {
                            Volatile.Write(ref need, (2 * round) + step);
                            if (asked.TryAsk())
                            {
                                System.Threading.Interlocked.Increment(ref looks);
                            }
                        }

                        int last = (2 * round) + 1;
                        Race.Until(() => System.Threading.Volatile.Read(ref seen) == last, "a look");
                    }
                },
                _ =>
                {
                    while (System.Threading.Volatile.Read(ref seen) < (2 * Rounds) + 1)
                    {
                        if (System.Threading.Volatile.Read(ref looks) > 0)
                        {
                            System.Threading.Interlocked.Decrement(ref looks);
                            asked.Begin();
                            System.Threading.Volatile.Write(ref seen, Volatile.Read(ref need));
                        }

                        StoreBuffer.Here!.Pause();
                        Race.Yield("a request");
                    }
                });
        }
    }
}
