
namespace Ioxide.Files.Tests;

/// <summary>Accept-Encoding is read as RFC 9110, section 12.5.3, has it: table by table, with the weight of each coding.</summary>
public class AcceptedCodingsTests
{
    [Theory]
    [InlineData("", 0, -1, -1, -1)]
    [InlineData("gzip", 0, 1000, -1, -1)]
    [InlineData("br, gzip", 0, 1000, 1000, -1)]
    [InlineData("gzip, deflate, br, zstd", 0, 1000, 1000, 1000)]
    [InlineData("x-gzip", 0, 1000, -1, -1)]
    [InlineData("GZIP;Q=0.5", 0, 500, -1, -1)]
    [InlineData("gzip;q=0.123 , br ; q=1.000", 0, 123, 1000, -1)]
    [InlineData("gzip;q=0", 0, -1, -1, -1)]
    [InlineData("gzip;q=0.000", 0, -1, -1, -1)]
    [InlineData("*", 0, 1000, 1000, 1000)]
    [InlineData("*;q=0.5, br;q=0.1", 0, 500, 100, 500)]
    [InlineData("*;q=0", -1, -1, -1, -1)]
    [InlineData("*;q=0, identity", 1000, -1, -1, -1)]
    [InlineData("identity;q=0", -1, -1, -1, -1)]
    [InlineData("identity;q=0, *", -1, 1000, 1000, 1000)]
    [InlineData("identity, gzip;q=0.5", 1000, 500, -1, -1)]
    [InlineData("gzip;q=2", 0, -1, -1, -1)]
    [InlineData("gzip;q=1.001", 0, -1, -1, -1)]
    [InlineData("gzip;q=0.1234", 0, -1, -1, -1)]
    [InlineData("gzip;q=-1", 0, -1, -1, -1)]
    [InlineData("gzip;q=", 0, -1, -1, -1)]
    [InlineData("gzip;x=1", 0, -1, -1, -1)]
    [InlineData("gzip;q=0.", 0, -1, -1, -1)]
    [InlineData(",,gzip,,", 0, 1000, -1, -1)]
    [InlineData("compress, deflate", 0, -1, -1, -1)]
    [InlineData("gzipx, br2", 0, -1, -1, -1)]
    public void WeighsEachCoding(string header, int identity, int gzip, int brotli, int zstandard)
    {
        AcceptedCodings accepted = AcceptedCodings.Parse(header);

        Assert.Equal(
            (identity, gzip, brotli, zstandard),
            (accepted.WeightOf(FileCoding.Identity), accepted.WeightOf(FileCoding.Gzip), accepted.WeightOf(FileCoding.Brotli),
                accepted.WeightOf(FileCoding.Zstandard)));
    }
}
