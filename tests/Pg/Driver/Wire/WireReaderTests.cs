namespace Ioxide.Pg.Tests;

/// <summary>A field that leaves its message is a breach of the protocol, whatever length it names.</summary>
public class WireReaderTests
{
    [Theory, Each(-1, int.MinValue, 5, int.MaxValue)]
    public void AFieldThatLeavesItsMessageIsRefused(int lengthBytes)
    {
        var error = Assert.Throws<PgProtocolException>(() =>
        {
            var reader = new WireReader([1, 2, 3, 4]);
            _ = reader.Take(lengthBytes).Length;
        });
        Assert.Contains("shorter than its fields", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AFieldMayEndWithItsMessage()
    {
        var reader = new WireReader([1, 2, 3, 4]);
        Assert.Equal([1, 2, 3, 4], reader.Take(4).ToArray());
        Assert.Empty(reader.Take(0).ToArray());
    }
}
