namespace Ioxide.Http2;

/// <summary>Prefixed integers (RFC 7541, section 5.1).</summary>
internal static class HpackInteger
{
    /// <summary>Bytes of the longest integer: a prefix and five groups of seven bits hold every value up to <see cref="int.MaxValue"/>.</summary>
    internal const int MaxBytes = 6;

    /// <summary>Reads an integer.</summary>
    /// <param name="source">Begins with the byte that has the prefix.</param>
    /// <param name="prefixBits">From 4 to 7.</param>
    /// <param name="value">From 0 to <see cref="int.MaxValue"/>.</param>
    /// <returns>The bytes read; 0 if the source ends before it, and -1 if it is out of range or has more than 6 bytes.</returns>
    internal static int Read(ReadOnlySpan<byte> source, int prefixBits, out int value)
    {
        int mask = (1 << prefixBits) - 1;
        value = source.IsEmpty ? 0 : source[0] & mask;
        if (value < mask)
        {
            return source.IsEmpty ? 0 : 1;
        }

        long sum = value;
        int shift = 0;
        for (int index = 1; index < MaxBytes; index++, shift += 7)
        {
            if (index == source.Length)
            {
                return 0;
            }

            sum += (long)(source[index] & 0x7F) << shift;
            if (sum > int.MaxValue)
            {
                return -1;
            }

            if (source[index] < 0x80)
            {
                value = (int)sum;
                return index + 1;
            }
        }

        return -1;
    }

    /// <summary>Writes an integer into at most <see cref="MaxBytes"/> bytes and returns how many.</summary>
    /// <param name="destination">The destination.</param>
    /// <param name="prefixBits">From 4 to 7.</param>
    /// <param name="value">0 or above.</param>
    /// <param name="pattern">The bits in front of the prefix.</param>
    internal static int Write(Span<byte> destination, int prefixBits, int value, byte pattern)
    {
        int mask = (1 << prefixBits) - 1;
        if (value < mask)
        {
            destination[0] = (byte)(pattern | value);
            return 1;
        }

        destination[0] = (byte)(pattern | mask);
        uint rest = (uint)(value - mask);
        int written = 1;
        while (rest >= 0x80)
        {
            destination[written++] = (byte)(rest | 0x80);
            rest >>= 7;
        }

        destination[written++] = (byte)rest;
        return written;
    }
}
