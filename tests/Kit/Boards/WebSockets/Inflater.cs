namespace Ioxide.TestKit;

/// <summary>
/// Raw DEFLATE that is strict about how far a copy reaches back, as no library is: a server that negotiated a small window, or to forget
/// each message, must keep to it. Source: RFC 1951, RFC 7692 section 7.1.
/// </summary>
/// <param name="windowBytes">A copy may begin so far back.</param>
internal sealed class Inflater(int windowBytes)
{
    private const int MaxCodeBits = 15;
    private const int EndOfBlock = 256;
    private const int LengthCodes = 29;
    private const int DistanceCodes = 30;

    private static readonly int[] s_order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    private static readonly int[] s_lengthBits =
        [.. Enumerable.Range(0, LengthCodes).Select(static code => code < 8 || code == 28 ? 0 : (code / 4) - 1)];

    private static readonly int[] s_distanceBits = [.. Enumerable.Range(0, DistanceCodes).Select(static code => code < 4 ? 0 : (code / 2) - 1)];
    private static readonly int[] s_lengthBase = [.. Bases(s_lengthBits, 3).SkipLast(1), 258];
    private static readonly int[] s_distanceBase = [.. Bases(s_distanceBits, 1)];
    private static readonly Code s_fixedLiterals = new(
        [.. Enumerable.Range(0, 288).Select(static symbol => symbol switch { < 144 => 8, < 256 => 9, < 280 => 7, _ => 8 })]);

    private static readonly Code s_fixedDistances = new([.. Enumerable.Repeat(5, DistanceCodes)]);

    private readonly List<byte> _output = [];
    private byte[] _input = [];
    private int _at;
    private uint _bits;
    private int _bitCount;

    /// <summary>Everything that a whole message holds: blocks up to the end of the input. What was inflated before can be copied from.</summary>
    /// <exception cref="InvalidDataException">It is no DEFLATE, or a copy begins outside the window.</exception>
    internal byte[] Inflate(byte[] input)
    {
        if (_output.Count > windowBytes)
        {
            _output.RemoveRange(0, _output.Count - windowBytes);
        }

        int before = _output.Count;
        (_input, _at, _bits, _bitCount) = (input, 0, 0, 0);
        while (_at < _input.Length)
        {
            bool isLast = Take(1) == 1;
            ReadBlock(Take(2));
            if (isLast)
            {
                // What follows a last block is another stream, at a whole byte. Source: RFC 7692, section 7.2.3.4.
                (_bits, _bitCount) = (0, 0);
            }
        }

        return [.. _output[before..]];
    }

    /// <summary>No later message may copy from an earlier one.</summary>
    internal void Forget() => _output.Clear();

    private void ReadBlock(int kind)
    {
        switch (kind)
        {
            case 0:
                (_bits, _bitCount) = (0, 0);
                int length = Take(16);
                Check(length == (~Take(16) & 0xffff), "a stored block of two lengths");
                for (int index = 0; index < length; index++)
                {
                    _output.Add((byte)Take(8));
                }

                break;
            case 1:
                ReadSymbols(s_fixedLiterals, s_fixedDistances);
                break;
            case 2:
                (Code literals, Code distances) = ReadCodes();
                ReadSymbols(literals, distances);
                break;
            default:
                throw new InvalidDataException("a block of no kind");
        }
    }

    private (Code Literals, Code Distances) ReadCodes()
    {
        int literalCount = Take(5) + 257;
        int distanceCount = Take(5) + 1;
        int lengthCount = Take(4) + 4;
        int[] lengthLengths = new int[s_order.Length];
        for (int index = 0; index < lengthCount; index++)
        {
            lengthLengths[s_order[index]] = Take(3);
        }

        Code lengths = new(lengthLengths);
        List<int> all = [];
        while (all.Count < literalCount + distanceCount)
        {
            int symbol = Read(lengths);
            (int value, int count) = symbol switch
            {
                16 => (all[^1], 3 + Take(2)),
                17 => (0, 3 + Take(3)),
                18 => (0, 11 + Take(7)),
                _ => (symbol, 1),
            };
            all.AddRange(Enumerable.Repeat(value, count));
        }

        return (new Code([.. all[..literalCount]]), new Code([.. all[literalCount..]]));
    }

    private void ReadSymbols(Code literals, Code distances)
    {
        while (true)
        {
            int symbol = Read(literals);
            if (symbol == EndOfBlock)
            {
                return;
            }

            if (symbol < EndOfBlock)
            {
                _output.Add((byte)symbol);
                continue;
            }

            int code = symbol - EndOfBlock - 1;
            Check(code < LengthCodes, "a length of no code");
            int length = s_lengthBase[code] + Take(s_lengthBits[code]);
            int distanceCode = Read(distances);
            Check(distanceCode < DistanceCodes, "a distance of no code");
            int distance = s_distanceBase[distanceCode] + Take(s_distanceBits[distanceCode]);
            Check(distance <= _output.Count && distance <= windowBytes, $"a copy from {distance} bytes back, beyond the window");
            for (int index = 0; index < length; index++)
            {
                _output.Add(_output[^distance]);
            }
        }
    }

    private int Read(Code code)
    {
        int value = 0;
        int first = 0;
        int index = 0;
        for (int length = 1; length <= MaxCodeBits; length++)
        {
            value |= Take(1);
            int count = code.Counts[length];
            if (value - first < count)
            {
                return code.Symbols[index + value - first];
            }

            index += count;
            first = (first + count) << 1;
            value <<= 1;
        }

        throw new InvalidDataException("bits of no code");
    }

    private int Take(int count)
    {
        while (_bitCount < count)
        {
            Check(_at < _input.Length, "compressed data that ends early");
            _bits |= (uint)_input[_at++] << _bitCount;
            _bitCount += 8;
        }

        int value = (int)(_bits & ((1u << count) - 1));
        _bits >>= count;
        _bitCount -= count;
        return value;
    }

    private static IEnumerable<int> Bases(int[] bits, int start)
    {
        foreach (int count in bits)
        {
            yield return start;
            start += 1 << count;
        }
    }

    private static void Check(bool isRight, string wrong)
    {
        if (!isRight)
        {
            throw new InvalidDataException(wrong);
        }
    }

    /// <summary>A canonical code: how many symbols have each length, and the symbols by length.</summary>
    private sealed class Code
    {
        internal Code(int[] lengths)
        {
            Counts = [.. Enumerable.Range(0, MaxCodeBits + 1).Select(length => length == 0 ? 0 : lengths.Count(other => other == length))];
            Symbols = [.. Enumerable.Range(0, lengths.Length).Where(symbol => lengths[symbol] > 0).OrderBy(symbol => lengths[symbol])];
        }

        internal int[] Counts { get; }

        internal int[] Symbols { get; }
    }
}
