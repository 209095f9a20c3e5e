
namespace Ioxide.Files.Tests;

/// <summary>Range is read as RFC 9110, sections 14.1.1 and 14.2, have it, for a file of 100 bytes unless the row says another.</summary>
public class ByteRangesTests
{
    private const int MaxCount = 4;

    [Theory]
    [InlineData("bytes=0-0", "0+1")]
    [InlineData("bytes=0-99", "0+100")]
    [InlineData("bytes=0-", "0+100")]
    [InlineData("bytes=99-", "99+1")]
    [InlineData("bytes=5-9", "5+5")]
    [InlineData("bytes=5-1000", "5+95")]
    [InlineData("bytes=-1", "99+1")]
    [InlineData("bytes=-100", "0+100")]
    [InlineData("bytes=-1000", "0+100")]
    [InlineData("BYTES=1-2", "1+2")]
    [InlineData("bytes= 1-2 , 5-6 ", "1+2 5+2")]
    [InlineData("bytes=,1-2,,", "1+2")]
    [InlineData("bytes=50-59,0-9", "50+10 0+10")]
    [InlineData("bytes=0-9,5-14", "0+15")]
    [InlineData("bytes=0-9,9-14", "0+15")]
    [InlineData("bytes=50-59,0-9,5-14", "0+15 50+10")]
    [InlineData("bytes=0-9,10-19", "0+10 10+10")]
    [InlineData("bytes=0-99,0-99,0-99", "0+100")]
    [InlineData("bytes=100-,0-0", "0+1")]
    [InlineData("bytes=0-99999999999999999999999", "0+100")]
    public void TakesWhatCanBeHad(string header, string expected) => Assert.Equal(expected, Describe(header, 100));

    [Theory, Each("bytes=100-", "bytes=100-200,300-", "bytes=-0", "bytes=99999999999999999999999-")]
    public void SaysThatNothingCanBeHad(string header) => Assert.Equal("", Describe(header, 100));

    [Theory, Each(
        "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5", "bytes=9-5", "bytes=a-5", "bytes=5-b", "bytes=+5-6", "bytes=--5", "bytes=0-1-2",
        "bytes=0x1-2", "bytes=1 -2", "lines=0-1", "bytes=0-0,2-2,4-4,6-6,8-8")]
    public void IgnoresWhatIsMalformedOrTooMuch(string header) => Assert.Null(Describe(header, 100));

    [Fact]
    public void AnEmptyFileHasNoRange()
    {
        Assert.Equal("", Describe("bytes=0-", 0));
        Assert.Equal("", Describe("bytes=-5", 0));
    }

    [Theory]
    [InlineData("bytes=5-9", true)]
    [InlineData("bytes=5-9,11-12", false)]
    [InlineData("bytes=100-", false)]
    [InlineData("bytes=9-5", false)]
    public void OneRangeIsReadWithoutAList(string header, bool isOne)
    {
        Assert.Equal(isOne, ByteRanges.TryParseOne(header, 100, out ByteRange range));
        Assert.Equal(isOne ? new ByteRange(5, 5) : default, isOne ? range : default);
    }

    private static string? Describe(string header, long fileLength)
        => ByteRanges.Parse(header, fileLength, MaxCount) is { } ranges
            ? string.Join(' ', ranges.Select(range => $"{range.Start}+{range.Length}"))
            : null;
}
