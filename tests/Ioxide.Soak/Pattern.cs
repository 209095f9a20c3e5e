using System.Buffers.Binary;
using System.Numerics;

namespace Ioxide.Soak;

/// <summary>An endless stream of bytes for each key, so that a byte of another place or another connection shows.</summary>
internal static class Pattern
{
    private const int WordBytes = sizeof(ulong);

    /// <summary>Fills with the key's stream from an offset on.</summary>
    internal static void Fill(Span<byte> destination, long key, long offset)
    {
        Span<byte> word = stackalloc byte[WordBytes];
        for (int index = 0; index < destination.Length;)
        {
            int phase = (int)((offset + index) % WordBytes);
            BinaryPrimitives.WriteUInt64LittleEndian(word, WordAt(key, (offset + index) / WordBytes));
            int count = Math.Min(WordBytes - phase, destination.Length - index);
            word.Slice(phase, count).CopyTo(destination[index..]);
            index += count;
        }
    }

    /// <summary>How many bytes are not those of the key's stream from the offset on.</summary>
    internal static int Differences(ReadOnlySpan<byte> actual, long key, long offset)
    {
        Span<byte> word = stackalloc byte[WordBytes];
        int differences = 0;
        for (int index = 0; index < actual.Length;)
        {
            int phase = (int)((offset + index) % WordBytes);
            BinaryPrimitives.WriteUInt64LittleEndian(word, WordAt(key, (offset + index) / WordBytes));
            int count = Math.Min(WordBytes - phase, actual.Length - index);
            ReadOnlySpan<byte> expected = word.Slice(phase, count);
            ReadOnlySpan<byte> found = actual.Slice(index, count);
            if (!expected.SequenceEqual(found))
            {
                for (int i = 0; i < count; i++)
                {
                    differences += expected[i] == found[i] ? 0 : 1;
                }
            }

            index += count;
        }

        return differences;
    }

    private static ulong WordAt(long key, long index)
    {
        ulong mixed = ((ulong)key * 0x9E37_79B9_7F4A_7C15) + ((ulong)index * 0xC2B2_AE3D_27D4_EB4F);
        mixed = (mixed ^ (mixed >> 29)) * 0xBF58_476D_1CE4_E5B9;
        return BitOperations.RotateLeft(mixed, 31) ^ (mixed >> 32);
    }
}
