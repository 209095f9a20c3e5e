namespace Ioxide.AspNetCore.Tests;

/// <summary>Bytes that differ at every offset, so that loss, repetition and reordering all show.</summary>
internal static class Payload
{
    internal static byte[] Of(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        new Random(20_261 + lengthBytes).NextBytes(bytes);
        return bytes;
    }

    internal static void AssertSame(byte[] expected, byte[] actual)
    {
        int common = expected.AsSpan().CommonPrefixLength(actual);
        Assert.True(
            expected.Length == actual.Length && common == expected.Length,
            $"Expected {expected.Length} bytes, got {actual.Length}; the first difference is at {common}.");
    }
}
