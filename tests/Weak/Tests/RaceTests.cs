namespace Ioxide.Weak;

/// <summary>A race that fails names its seed, wherever on its threads it fails.</summary>
public sealed class RaceTests
{
    [Fact]
    public void AStoreThatFailsBehindTheLastAccessNamesTheSeed()
    {
        Exception failure = Assert.ThrowsAny<Exception>(
            static () => Race.Run(0, static _ => StoreBuffer.Here!.Hold(static () => throw new InvalidOperationException("the last store"))));
        Assert.Contains("IOXIDE_SEED=", failure.Message, StringComparison.Ordinal);
        Assert.Contains("the last store", failure.Message, StringComparison.Ordinal);
    }
}
