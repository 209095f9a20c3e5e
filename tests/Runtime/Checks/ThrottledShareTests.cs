namespace Ioxide.Tests;

/// <summary>How much of the last seconds a quota took, by looks of a clock that the test moves.</summary>
public class ThrottledShareTests
{
    private readonly ThrottledShare _share = new();

    [Fact]
    public void TheFirstLookKnowsNothing() => Assert.Equal(0, _share.At(1000, TimeSpan.FromHours(1)));

    [Fact]
    public void IsWhatWasThrottledSince()
    {
        _ = _share.At(1000, 40.Milliseconds());

        Assert.Equal(0.25, _share.At(1400, 140.Milliseconds()), 3);
        Assert.Equal(0.5, _share.At(1800, 440.Milliseconds()), 3);
    }

    [Fact]
    public void WhatWasLongAgoIsForgotten()
    {
        _ = _share.At(0, TimeSpan.Zero);
        for (int now = 100; now <= 10_000; now += 100)
        {
            _ = _share.At(now, now.Milliseconds());
        }

        Assert.Equal(1, _share.At(10_100, 10_100.Milliseconds()), 3);
        for (int now = 10_200; now <= 25_000; now += 100)
        {
            _ = _share.At(now, 10_100.Milliseconds());
        }

        Assert.Equal(0, _share.At(25_100, 10_100.Milliseconds()), 3);
    }
}
