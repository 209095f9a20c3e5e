using Ioxide.Pg;
using Ioxide.Pg.Data;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>The reactor tells whether the server has begun a transaction, then that the command which took the BEGIN along has ended.</summary>
public sealed class TransactionBeginTests
{
    private const int Races = 20;
    private const int Rounds = 500;

    [Fact]
    public void ATransactionThatTheServerHasBegunIsNotOwed()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            TransactionBegin[] begins = [.. Enumerable.Range(0, Rounds).Select(static _ => new TransactionBegin(new PgStatement()))];
            Array.ForEach(begins, static begin => begin.Take());
            bool[] isSettled = new bool[Rounds];
            bool[] wasOwed = new bool[Rounds];
            var meeting = new Meeting(threads: 2);
            Race.Run(
                race,
                _ =>
                {
                    for (int round = 0; round < Rounds; round++)
                    {
                        meeting.Wait();
                        begins[round].Begun();
                        begins[round].Settle();
                        System.Threading.Volatile.Write(ref isSettled[round], true);
                    }
                },
                _ =>
                {
                    for (int round = 0; round < Rounds; round++)
                    {
                        meeting.Wait();
                        bool isLast;
                        do
                        {
                            isLast = System.Threading.Volatile.Read(ref isSettled[round]);
                            wasOwed[round] |= begins[round].IsOwed;
                        }
                        while (!isLast);
                    }
                });
            Assert.True(Array.TrueForAll(wasOwed, static wasOwed => !wasOwed), $"race {race}: a BEGIN that was answered would be sent again");
        }
    }
}
