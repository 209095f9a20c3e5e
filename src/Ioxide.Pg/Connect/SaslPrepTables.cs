using System.IO.Compression;

namespace Ioxide.Pg;

/// <summary>The tables behind <see cref="SaslPrep"/>, unpacked when a password first has a character outside ASCII.</summary>
/// <remarks>
/// The framework's own normalization does nothing where globalization is invariant, as in small images; hence these.
/// Sources: RFC 3454 tables B.1, C.1.2 to C.9, A.1, D.1, D.2; Unicode's decompositions and combining classes.
/// </remarks>
internal sealed partial class SaslPrepTables
{
    private static readonly Lazy<SaslPrepTables> s_instance = new(static () => new SaslPrepTables());

    private readonly byte[] _data;
    private int _position;

    private SaslPrepTables()
    {
        using var packed = new ZLibStream(new MemoryStream(Convert.FromBase64String(Packed)), CompressionMode.Decompress);
        using var unpacked = new MemoryStream();
        packed.CopyTo(unpacked);
        _data = unpacked.ToArray();
        Spaces = ReadRanges();
        Dropped = ReadRanges();
        Prohibited = ReadRanges();
        RightToLeft = ReadRanges();
        LeftToRight = ReadRanges();
        ReadDecompositions();
        ReadClasses();
        _data = [];
    }

    internal static SaslPrepTables Instance => s_instance.Value;

    /// <summary>Mapped to a space (C.1.2).</summary>
    internal CodePointSet Spaces { get; }

    /// <summary>Mapped to nothing (B.1).</summary>
    internal CodePointSet Dropped { get; }

    /// <summary>Prohibited in the output, or not assigned in Unicode 3.2.</summary>
    internal CodePointSet Prohibited { get; }

    /// <summary>RandALCat (D.1).</summary>
    internal CodePointSet RightToLeft { get; }

    /// <summary>LCat (D.2).</summary>
    internal CodePointSet LeftToRight { get; }

    /// <summary>Full compatibility decompositions, except Hangul's, which are computed.</summary>
    internal Dictionary<int, int[]> Decompositions { get; } = [];

    /// <summary>The composition of two characters.</summary>
    internal Dictionary<(int First, int Second), int> Compositions { get; } = [];

    /// <summary>Combining classes above 0.</summary>
    internal Dictionary<int, byte> Classes { get; } = [];

    private CodePointSet ReadRanges()
    {
        int[] starts = new int[Read()];
        int[] ends = new int[starts.Length];
        for (int i = 0, last = 0; i < starts.Length; i++)
        {
            starts[i] = last + Read();
            last = ends[i] = starts[i] + Read();
        }

        return new CodePointSet(starts, ends);
    }

    private void ReadDecompositions()
    {
        int count = Read();
        for (int i = 0, codePoint = 0; i < count; i++)
        {
            codePoint += Read();
            int lengthAndKind = Read();
            if ((lengthAndKind & 1) != 0)
            {
                int first = Read();
                Compositions.Add((first, Read()), codePoint);
            }

            int[] parts = new int[lengthAndKind >> 1];
            for (int part = 0; part < parts.Length; part++)
            {
                parts[part] = Read();
            }

            Decompositions.Add(codePoint, parts);
        }
    }

    private void ReadClasses()
    {
        int count = Read();
        for (int i = 0, codePoint = 0; i < count; i++)
        {
            codePoint += Read();
            Classes.Add(codePoint, (byte)Read());
        }
    }

    /// <summary>Reads a number with 7 bits per byte, lowest first; the top bit means that more follow.</summary>
    private int Read()
    {
        int value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte b = _data[_position++];
            value |= (b & 0x7f) << shift;
            if (b < 0x80)
            {
                return value;
            }
        }
    }
}

/// <summary>Ranges of code points, sorted: from each start up to its end, exclusive.</summary>
internal sealed class CodePointSet(int[] starts, int[] ends)
{
    internal bool Contains(int codePoint)
    {
        int index = Array.BinarySearch(starts, codePoint);
        return index >= 0 || (~index > 0 && codePoint < ends[~index - 1]);
    }
}
