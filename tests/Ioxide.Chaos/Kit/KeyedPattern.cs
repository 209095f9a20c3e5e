using System.Buffers.Binary;

namespace Ioxide.Chaos;

/// <summary>The bytes that a connection with a key has to carry. Another key or another offset gives other bytes.</summary>
internal static class KeyedPattern
{
    private const int WordBytes = sizeof(ulong);
    private const int ChunkBytes = 1024;

    internal static void Fill(Span<byte> bytes, ulong key, long offset)
    {
        Span<byte> word = stackalloc byte[WordBytes];
        while (!bytes.IsEmpty)
        {
            int start = (int)(offset % WordBytes);
            int count = Math.Min(WordBytes - start, bytes.Length);
            BinaryPrimitives.WriteUInt64LittleEndian(word, WordAt(key, (ulong)(offset / WordBytes)));
            word.Slice(start, count).CopyTo(bytes);
            bytes = bytes[count..];
            offset += count;
        }
    }

    /// <summary>Where the bytes first differ from those of the key at the offset, or -1.</summary>
    internal static int FirstDifference(ReadOnlySpan<byte> bytes, ulong key, long offset)
    {
        Span<byte> expected = stackalloc byte[ChunkBytes];
        for (int start = 0; start < bytes.Length; start += ChunkBytes)
        {
            ReadOnlySpan<byte> chunk = bytes[start..Math.Min(start + ChunkBytes, bytes.Length)];
            Fill(expected[..chunk.Length], key, offset + start);
            int common = chunk.CommonPrefixLength(expected[..chunk.Length]);
            if (common < chunk.Length)
            {
                return start + common;
            }
        }

        return -1;
    }

    /// <summary>SplitMix64's output function: one bit more or less in key or index changes half of the word.</summary>
    private static ulong WordAt(ulong key, ulong index)
    {
        ulong mixed = Scramble(key) + (index * 0x9E37_79B9_7F4A_7C15);
        return Scramble(mixed);
    }

    private static ulong Scramble(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58_476D_1CE4_E5B9;
        value = (value ^ (value >> 27)) * 0x94D0_49BB_1331_11EB;
        return value ^ (value >> 31);
    }
}
