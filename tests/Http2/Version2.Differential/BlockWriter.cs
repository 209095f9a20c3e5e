namespace Ioxide.Http2.Tests;

/// <summary>Writes header blocks in every form that a client may choose: from both tables, as literals of each kind, plain and coded.</summary>
internal sealed class BlockWriter(Random random)
{
    private const int FirstDynamicIndex = 62;
    private const int MostEntries = 50;

    private static readonly (string Name, string Value, int Index)[] s_static =
    [
        (":method", "GET", 2), (":method", "POST", 3), (":path", "/", 4), (":scheme", "http", 6), ("accept-encoding", "gzip, deflate", 16),
    ];

    private static readonly (string Name, int Index)[] s_staticNames =
        [(":authority", 1), (":method", 2), (":path", 4), (":scheme", 6), ("accept", 19), ("cookie", 32), ("expect", 35), ("content-length", 28)];

    // The oldest first. It stays below the size at which the table evicts.
    private readonly List<(string Name, string Value)> _dynamic = [];

    internal byte[] Write(IEnumerable<(string Name, string Value)> fields)
    {
        List<byte> block = [];
        foreach ((string name, string value) in fields)
        {
            WriteField(block, name, value);
        }

        return [.. block];
    }

    private void WriteField(List<byte> block, string name, string value)
    {
        int known = s_static.FirstOrDefault(entry => entry.Name == name && entry.Value == value).Index;
        int added = _dynamic.LastIndexOf((name, value));
        if (random.Next(4) > 0 && (known > 0 || added >= 0))
        {
            WriteInteger(block, known > 0 ? known : FirstDynamicIndex + _dynamic.Count - 1 - added, 7, 0x80);
            return;
        }

        int nameIndex = random.Next(3) == 0 ? 0 : s_staticNames.FirstOrDefault(entry => entry.Name == name).Index;
        bool isAdded = random.Next(3) == 0 && _dynamic.Count < MostEntries && value.Length < 20;
        WriteInteger(block, nameIndex, isAdded ? 6 : 4, isAdded ? 0x40 : random.Next(3) == 0 ? 0x10 : 0);
        if (nameIndex == 0)
        {
            WriteText(block, name);
        }

        WriteText(block, value);
        if (isAdded)
        {
            _dynamic.Add((name, value));
        }
    }

    private void WriteText(List<byte> block, string text)
    {
        byte[] bytes = System.Text.Encoding.Latin1.GetBytes(text);
        if (random.Next(2) == 0)
        {
            byte[] coded = new byte[Huffman.EncodedLength(bytes)];
            Huffman.Encode(bytes, coded);
            WriteInteger(block, coded.Length, 7, 0x80);
            block.AddRange(coded);
            return;
        }

        WriteInteger(block, bytes.Length, 7, 0);
        block.AddRange(bytes);
    }

    private static void WriteInteger(List<byte> block, int number, int prefixBits, int pattern)
    {
        Span<byte> bytes = stackalloc byte[HpackInteger.MaxBytes];
        block.AddRange(bytes[..HpackInteger.Write(bytes, prefixBits, number, (byte)pattern)]);
    }
}
