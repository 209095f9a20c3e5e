using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Http2.Tests;

/// <summary>Which time counts for a client that takes its answers, by a clock that the test reads.</summary>
public class DataRatesTests
{
    private const int Interval = DataRates.IntervalMs;
    private const long Start = 1_000_000;

    private static readonly MinDataRate s_rate = new(bytesPerSecond: 1000, gracePeriod: 5.Seconds());

    [Fact]
    public void AWriteHasTheGracePeriodFromTheNextLookOn()
    {
        DataRates rates = new(Start);
        rates.Sending(s_rate, 1);

        Assert.Equal(7, FirstSlowLook(ref rates, Start, looks: 10));
    }

    [Fact]
    public void AWriteHasTheTimeOfItsBytes()
    {
        DataRates rates = new(Start);
        rates.Sending(s_rate, 20_000);

        Assert.Equal(22, FirstSlowLook(ref rates, Start, looks: 30));
    }

    /// <summary>The process was paused, or a handler held the reactor, while an answer waited or before it was written.</summary>
    [Fact]
    public void APauseOfTheServerMovesTheDeadline()
    {
        DataRates rates = new(Start);
        rates.Sending(s_rate, 1);
        const long Resumed = Start + (100 * Interval);

        Assert.Equal(Interval, rates.Look(Resumed));
        Assert.False(rates.IsSendingTooSlowly(s_rate, isWaiting: true, Resumed));

        // Of its six seconds it has had one, which is the time until the next look.
        Assert.Equal(6, FirstSlowLook(ref rates, Resumed, looks: 10));
    }

    [Fact]
    public void ALookInTimeMovesNothing()
    {
        DataRates rates = new(Start);
        rates.Sending(s_rate, 1);

        Assert.Equal(Interval / 2, rates.Look(Start + (Interval / 2)));
        Assert.False(rates.IsSendingTooSlowly(s_rate, isWaiting: true, Start + (6 * Interval)));
        Assert.True(rates.IsSendingTooSlowly(s_rate, isWaiting: true, Start + (6 * Interval) + 1));
    }

    /// <summary>The number of the first look, one per second, by which the client is too slow; null if none is.</summary>
    private static int? FirstSlowLook(ref DataRates rates, long since, int looks)
    {
        for (int look = 1; look <= looks; look++)
        {
            long now = since + (look * Interval);
            _ = rates.Look(now);
            if (rates.IsSendingTooSlowly(s_rate, isWaiting: true, now))
            {
                return look;
            }
        }

        return null;
    }
}
