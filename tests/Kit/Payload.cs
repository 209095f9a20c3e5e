using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;

namespace Ioxide.TestKit;

/// <summary>Bytes that differ at every offset, so that loss, repetition and reordering all show.</summary>
internal static class Payload
{
    private const int WordBytes = sizeof(ulong);
    private const int ChunkBytes = 1024;

    internal static byte[] Of(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        new Random(20_261 + lengthBytes).NextBytes(bytes);
        return bytes;
    }

    /// <summary>Fills with the keyed stream from an offset on. Another key or another offset gives other bytes.</summary>
    internal static void Fill(Span<byte> destination, long key, long offset)
    {
        Span<byte> word = stackalloc byte[WordBytes];
        while (!destination.IsEmpty)
        {
            int start = (int)(offset % WordBytes);
            int count = Math.Min(WordBytes - start, destination.Length);
            BinaryPrimitives.WriteUInt64LittleEndian(word, WordAt((ulong)key, (ulong)(offset / WordBytes)));
            word.Slice(start, count).CopyTo(destination);
            destination = destination[count..];
            offset += count;
        }
    }

    /// <summary>The first index at which the bytes are not the keyed stream from the offset on, or -1.</summary>
    internal static int FirstDifference(ReadOnlySpan<byte> actual, long key, long offset)
    {
        Span<byte> expected = stackalloc byte[ChunkBytes];
        for (int start = 0; start < actual.Length; start += ChunkBytes)
        {
            ReadOnlySpan<byte> chunk = actual[start..Math.Min(start + ChunkBytes, actual.Length)];
            Fill(expected[..chunk.Length], key, offset + start);
            int common = chunk.CommonPrefixLength(expected[..chunk.Length]);
            if (common < chunk.Length)
            {
                return start + common;
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

    /// <summary>Reads to the end, and says how many bytes came and which was the first that is not the keyed stream's, or -1.</summary>
    internal static async Task<string> ReadAsync(PipeReader input, long key)
    {
        long received = 0;
        long wrong = -1;
        ReadResult read;
        do
        {
            read = await input.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                int difference = FirstDifference(segment.Span, key, received);
                wrong = wrong < 0 && difference >= 0 ? received + difference : wrong;
                received += segment.Length;
            }

            input.AdvanceTo(read.Buffer.End);
        }
        while (!read.IsCompleted);
        return string.Create(CultureInfo.InvariantCulture, $"{received} {wrong}");
    }

    internal static void AssertSame(byte[] expected, byte[] actual)
    {
        int common = expected.AsSpan().CommonPrefixLength(actual);
        if (expected.Length != actual.Length || common != expected.Length)
        {
            throw new InvalidDataException($"Expected {expected.Length} bytes, got {actual.Length}; the first difference is at {common}.");
        }
    }

    /// <summary>SplitMix64's output function: one bit more or less in key or index changes half of the word.</summary>
    private static ulong WordAt(ulong key, ulong index) => Scramble(Scramble(key) + (index * 0x9E37_79B9_7F4A_7C15));

    private static ulong Scramble(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58_476D_1CE4_E5B9;
        value = (value ^ (value >> 27)) * 0x94D0_49BB_1331_11EB;
        return value ^ (value >> 31);
    }
}
