using System.Buffers.Binary;
using System.Diagnostics;

namespace Ioxide.Http2;

/// <summary>The Huffman code of header strings (RFC 7541, section 5.2 and appendix B).</summary>
/// <remarks>
/// The code is canonical: codes of one length follow each other in the order of their symbols, so the lengths alone define it. One table look-up
/// finds codes of up to 9 bits, which are all characters of common fields; the first code of each length finds longer ones. Threads: any.
/// </remarks>
internal static class Huffman
{
    /// <summary>Bits of the longest code, the end of string.</summary>
    private const int LongestCode = 30;

    private const int QuickBits = 9;
    private const int EndOfString = 256;

    private static readonly uint[] s_codes = new uint[EndOfString + 1];
    private static readonly ushort[] s_quick = new ushort[1 << QuickBits];
    private static readonly ushort[] s_symbols = new ushort[EndOfString + 1];
    private static readonly uint[] s_firstCode = new uint[LongestCode + 1];
    private static readonly int[] s_firstIndex = new int[LongestCode + 1];
    private static readonly int[] s_count = new int[LongestCode + 1];

    static Huffman()
    {
        uint code = 0;
        int index = 0;
        for (int length = 1; length <= LongestCode; length++)
        {
            code <<= 1;
            s_firstCode[length] = code;
            s_firstIndex[length] = index;
            for (int symbol = 0; symbol <= EndOfString; symbol++)
            {
                if (CodeLengths[symbol] != length)
                {
                    continue;
                }

                s_codes[symbol] = code;
                s_symbols[index++] = (ushort)symbol;
                if (length <= QuickBits)
                {
                    int shift = QuickBits - length;
                    s_quick.AsSpan((int)code << shift, 1 << shift).Fill((ushort)(length << 8 | symbol));
                }

                code++;
                s_count[length]++;
            }
        }

        Debug.Assert(code == 1u << LongestCode, "The code is complete.");
    }

    /// <summary>Bits of each symbol's code; the last one is the end of string.</summary>
    private static ReadOnlySpan<byte> CodeLengths =>
    [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ];

    /// <summary>Maximum length of a string with this many encoded bytes: the shortest code has 5 bits.</summary>
    internal static int MaxDecodedLength(int encodedLength) => (int)(encodedLength * 8L / 5);

    /// <summary>Decodes a complete string.</summary>
    /// <param name="source">The encoded bytes, padding included.</param>
    /// <param name="destination">The string's destination.</param>
    /// <param name="writtenBytes">Bytes of the string.</param>
    /// <returns>The error, or <see cref="HuffmanResult.Done"/>.</returns>
    internal static HuffmanResult Decode(ReadOnlySpan<byte> source, Span<byte> destination, out int writtenBytes)
    {
        // The remaining bits, at the high end; zeros after them.
        ulong bits = 0;
        int bitCount = 0;
        int read = 0;
        int written = 0;
        writtenBytes = 0;
        while (true)
        {
            if (bitCount < LongestCode)
            {
                if (source.Length - read >= sizeof(uint))
                {
                    bits |= (ulong)BinaryPrimitives.ReadUInt32BigEndian(source[read..]) << (32 - bitCount);
                    read += sizeof(uint);
                    bitCount += 32;
                }

                while (bitCount <= 56 && read < source.Length)
                {
                    bits |= (ulong)source[read++] << (56 - bitCount);
                    bitCount += 8;
                }
            }

            int found = s_quick[(int)(bits >> (64 - QuickBits))];
            int length = found >> 8;
            if (found == 0)
            {
                length = FindLong(bits, out found);
            }

            if (length == 0 || length > bitCount)
            {
                // No code fits the rest: it must be padding, less than a byte of the end of string's first bits.
                writtenBytes = written;
                return IsPadding(bits, bitCount) ? HuffmanResult.Done : HuffmanResult.Invalid;
            }

            if (written == destination.Length)
            {
                return HuffmanResult.TooLong;
            }

            destination[written++] = (byte)found;
            bits <<= length;
            bitCount -= length;
        }
    }

    /// <summary>Encoded length of the string, in bytes.</summary>
    internal static int EncodedLength(ReadOnlySpan<byte> source)
    {
        long bits = 0;
        foreach (byte symbol in source)
        {
            bits += CodeLengths[symbol];
        }

        return (int)((bits + 7) / 8);
    }

    /// <summary>Encodes a string into exactly <see cref="EncodedLength"/> bytes.</summary>
    internal static void Encode(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        ulong bits = 0;
        int bitCount = 0;
        int written = 0;
        foreach (byte symbol in source)
        {
            int length = CodeLengths[symbol];
            bits = bits << length | s_codes[symbol];
            bitCount += length;
            if (bitCount >= 32)
            {
                bitCount -= 32;
                BinaryPrimitives.WriteUInt32BigEndian(destination[written..], (uint)(bits >> bitCount));
                written += 4;
            }
        }

        while (bitCount >= 8)
        {
            bitCount -= 8;
            destination[written++] = (byte)(bits >> bitCount);
        }

        if (bitCount > 0)
        {
            destination[written] = (byte)(bits << (8 - bitCount) | 0xFFu >> bitCount);
        }
    }

    private static int FindLong(ulong bits, out int symbol)
    {
        for (int length = QuickBits + 1; length <= LongestCode; length++)
        {
            uint offset = (uint)(bits >> (64 - length)) - s_firstCode[length];
            if (offset < (uint)s_count[length])
            {
                symbol = s_symbols[s_firstIndex[length] + (int)offset];
                return symbol == EndOfString ? 0 : length;
            }
        }

        symbol = 0;
        return 0;
    }

    private static bool IsPadding(ulong bits, int bitCount) => bitCount < 8 && (bitCount == 0 || bits >> (64 - bitCount) == (1ul << bitCount) - 1);
}
