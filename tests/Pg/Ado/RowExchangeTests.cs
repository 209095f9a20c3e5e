using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>The object of a command serves the next one at once. A reader of its last use, on another thread, must not get into that.</summary>
public class RowExchangeTests
{
    private const int Rounds = 500;

    [Fact]
    public async Task AReaderOfTheLastUseIsToldOfItsEndOrRefused()
    {
        DataRoundTrip roundTrip = DataRoundTrip.Rent(new SpareRoundTrips());
        int rounds = Scale.Of(Rounds);
        long version = 0;
        int begun = 0;
        int reading = 0;
        int ended = 0;
        Task<string?> reader = Task.Factory.StartNew(
            () =>
            {
                string? wrong = null;
                for (int round = 1; round <= rounds; round++)
                {
                    SpinUntil(ref begun, round);
                    bool isRefused = false;
                    while (!isRefused && wrong is null)
                    {
                        wrong = Read(roundTrip.Rows, version, out isRefused);
                        Volatile.Write(ref reading, round);
                    }

                    Volatile.Write(ref reading, round);
                    Volatile.Write(ref ended, round);
                }

                return wrong;
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Task.Factory.StartNew(
            () =>
            {
                for (int round = 1; round <= rounds; round++)
                {
                    version = roundTrip.Version;
                    roundTrip.Rows.End();
                    Volatile.Write(ref begun, round);
                    SpinUntil(ref reading, round);
                    roundTrip.Rows.Clear();
                    SpinUntil(ref ended, round);
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Within(60.Seconds());
        Assert.Null(await reader.Within(20.Seconds()));
    }

    /// <summary>What was wrong with the answer; null if nothing was.</summary>
    private static string? Read(RowExchange rows, long version, out bool isRefused)
    {
        isRefused = false;
        try
        {
            ValueTask<bool> next = rows.NextChunkAsync(version);
            return !next.IsCompletedSuccessfully ? "It waits for rows of the next use." : next.Result ? "It has got rows." : null;
        }
        catch (InvalidOperationException)
        {
            isRefused = true;
            return null;
        }
        catch (Exception exception)
        {
            return $"It was about to wait for rows of the next use: {exception.Message}";
        }
    }

    private static void SpinUntil(ref int round, int wanted)
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref round) < wanted)
        {
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }
}
