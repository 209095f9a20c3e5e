namespace Ioxide.Tests;

/// <summary>What is kept of readings that come in another order than they were made, and at once.</summary>
public class GreatestTests
{
    [Fact]
    public void AnEarlierReadingThatComesLaterIsNotKept()
    {
        long kept = 0;
        Assert.Equal(200, Greatest.Keep(ref kept, 200));
        Assert.Equal(200, Greatest.Keep(ref kept, 100));
        Assert.Equal(200, kept);
        Assert.Equal(201, Greatest.Keep(ref kept, 201));
        Assert.Equal(201, kept);
    }

    [Fact]
    public void OfReadingsAtOnceTheGreatestIsKept()
    {
        const int Count = 100_000;
        long kept = 0;
        Parallel.For(1, Count + 1, reading => Assert.True(Greatest.Keep(ref kept, reading) >= reading));
        Assert.Equal(Count, kept);
    }
}
