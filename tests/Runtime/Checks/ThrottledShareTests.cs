namespace Ioxide.Tests;

/// <summary>How much of the last seconds a quota took, by looks of a clock that the test moves.</summary>
public class ThrottledShareTests
{
    private readonly ThrottledShare _share = new();

    [Fact]
    public void TheFirstLookKnowsNothing() => Assert.Equal(0, _share.PercentAt(1000, TimeSpan.FromHours(1)));

    [Fact]
    public void IsWhatWasThrottledSince()
    {
        _ = _share.PercentAt(1000, 40.Milliseconds());

        Assert.Equal(25, _share.PercentAt(1400, 140.Milliseconds()));
        Assert.Equal(50, _share.PercentAt(1800, 440.Milliseconds()));
    }

    [Fact]
    public void WhatWasLongAgoIsForgotten()
    {
        _ = _share.PercentAt(0, TimeSpan.Zero);
        for (int now = 100; now <= 10_000; now += 100)
        {
            _ = _share.PercentAt(now, now.Milliseconds());
        }

        Assert.Equal(100, _share.PercentAt(10_100, 10_100.Milliseconds()));
        for (int now = 10_200; now <= 25_000; now += 100)
        {
            _ = _share.PercentAt(now, 10_100.Milliseconds());
        }

        Assert.Equal(0, _share.PercentAt(25_100, 10_100.Milliseconds()));
    }
}
