using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The time that a connection is given for bytes that Kestrel does not count.</summary>
public class ReferenceAllowanceTests
{
    private static readonly MinDataRate s_rate = new(bytesPerSecond: 1000, gracePeriod: 5.Seconds());

    [Fact]
    public void BytesThatFitIntoTheGracePeriodNeedNoMore()
        => Assert.Same(s_rate, default(ReferenceAllowance).Give(s_rate, 5000));

    [Fact]
    public void TimeThatWasNotNeededStaysTheConnections()
    {
        var allowance = default(ReferenceAllowance);
        _ = allowance.Give(s_rate, 100_000);
        MinDataRate given = allowance.Give(s_rate, 100_000);
        Assert.Equal(s_rate.BytesPerSecond, given.BytesPerSecond);
        Assert.InRange(given.GracePeriod.TotalSeconds, 199, 400);
    }

    [Fact]
    public void AConnectionNeedsFewRates()
    {
        var allowance = default(ReferenceAllowance);
        HashSet<MinDataRate> given = [.. Enumerable.Range(0, 1000).Select(_ => allowance.Give(s_rate, 20_000))];
        Assert.InRange(given.Count, 2, 20);
    }

    [Fact]
    public void AnotherRateIsTaken()
    {
        var allowance = default(ReferenceAllowance);
        _ = allowance.Give(s_rate, 100_000);
        Assert.Equal(999, allowance.Give(new MinDataRate(999, 5.Seconds()), 1).BytesPerSecond);
    }

    [Fact]
    public void NoBodyIsTooLarge()
    {
        var allowance = default(ReferenceAllowance);
        for (int count = 0; count < 1000; count++)
        {
            Assert.InRange(allowance.Give(new MinDataRate(double.Epsilon, 5.Seconds()), int.MaxValue).GracePeriod.TotalDays, 0.9, 2);
        }
    }
}
