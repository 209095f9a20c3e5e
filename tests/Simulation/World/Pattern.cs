using System.Buffers.Binary;

namespace Ioxide.Simulation;

/// <summary>The bytes of a stream, from its key and the offset: a byte of another stream or place does not fit.</summary>
internal static class Pattern
{
    internal static void Fill(Span<byte> target, ulong key, long offset)
    {
        int index = 0;
        for (; index < target.Length && ((offset + index) & 7) != 0; index++)
        {
            target[index] = At(key, offset + index);
        }

        for (; index + 8 <= target.Length; index += 8)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(target[index..], Word(key, offset + index));
        }

        for (; index < target.Length; index++)
        {
            target[index] = At(key, offset + index);
        }
    }

    /// <summary>The index of the first byte that does not belong there, or -1.</summary>
    internal static int FindForeign(ReadOnlySpan<byte> bytes, ulong key, long offset)
    {
        int index = 0;
        for (; index < bytes.Length && ((offset + index) & 7) != 0; index++)
        {
            if (bytes[index] != At(key, offset + index))
            {
                return index;
            }
        }

        for (; index + 8 <= bytes.Length; index += 8)
        {
            if (BinaryPrimitives.ReadUInt64LittleEndian(bytes[index..]) != Word(key, offset + index))
            {
                break;
            }
        }

        for (; index < bytes.Length; index++)
        {
            if (bytes[index] != At(key, offset + index))
            {
                return index;
            }
        }

        return -1;
    }

    private static byte At(ulong key, long offset) => (byte)(Word(key, offset & ~7L) >> (int)((offset & 7) * 8));

    private static ulong Word(ulong key, long offset)
    {
        ulong mixed = (key + (ulong)offset) * 0x9E3779B97F4A7C15;
        return mixed ^ (mixed >> 29);
    }
}
