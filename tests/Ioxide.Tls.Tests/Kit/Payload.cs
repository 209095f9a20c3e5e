namespace Ioxide.Tls.Tests;

/// <summary>Bytes whose every position can be told.</summary>
internal static class Payload
{
    internal static byte[] Of(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        for (int index = 0; index < lengthBytes; index++)
        {
            bytes[index] = (byte)((index * 31) + (index >> 8));
        }

        return bytes;
    }

    internal static void AssertSame(byte[] expected, byte[] actual)
        => Assert.True(expected.AsSpan().SequenceEqual(actual), $"{actual.Length} bytes differ from the {expected.Length} expected.");
}
