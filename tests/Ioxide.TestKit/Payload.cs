using System.Buffers;

namespace Ioxide.TestKit;

/// <summary>Bytes that differ at every offset, so that loss, repetition and reordering all show.</summary>
internal static class Payload
{
    internal static byte[] Of(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        new Random(20_261 + lengthBytes).NextBytes(bytes);
        return bytes;
    }

    /// <summary>The byte that a keyed stream has at an offset.</summary>
    internal static byte At(long key, long offset)
    {
        ulong mixed = ((ulong)key * 0x9E3779B97F4A7C15) + ((ulong)offset * 0xC2B2AE3D27D4EB4F);
        return (byte)((mixed >> 56) ^ (mixed >> 24));
    }

    /// <summary>Fills with the keyed stream from an offset on.</summary>
    internal static void Fill(Span<byte> destination, long key, long offset)
    {
        for (int index = 0; index < destination.Length; index++)
        {
            destination[index] = At(key, offset + index);
        }
    }

    /// <summary>The first index at which the bytes are not the keyed stream from the offset on, or -1.</summary>
    internal static int FirstDifference(ReadOnlySpan<byte> actual, long key, long offset)
    {
        for (int index = 0; index < actual.Length; index++)
        {
            if (actual[index] != At(key, offset + index))
            {
                return index;
            }
        }

        return -1;
    }

    internal static void AssertKeyed(in ReadOnlySequence<byte> actual, long key, long offset)
    {
        foreach (ReadOnlyMemory<byte> segment in actual)
        {
            int difference = FirstDifference(segment.Span, key, offset);
            if (difference >= 0)
            {
                throw new InvalidDataException($"Byte {offset + difference} of the stream is not what was sent.");
            }

            offset += segment.Length;
        }
    }

    internal static void AssertSame(byte[] expected, byte[] actual)
    {
        int common = expected.AsSpan().CommonPrefixLength(actual);
        if (expected.Length != actual.Length || common != expected.Length)
        {
            throw new InvalidDataException(
                $"Expected {expected.Length} bytes, got {actual.Length}; the first difference is at {common}.");
        }
    }
}
