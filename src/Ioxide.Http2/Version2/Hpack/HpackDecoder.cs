namespace Ioxide.Http2;

/// <summary>Decodes one connection's header blocks, in order (RFC 7541).</summary>
/// <remarks>
/// Threads: the connection's, one at a time. Bounds: the table's size and the length of one string. The receiver bounds the number and sum of the
/// fields. It is called for each of them, so that the table matches the peer's, and a field from a table costs the same whatever its length.
/// After an error the decoder must not be used again.
/// </remarks>
internal sealed class HpackDecoder
{
    private readonly int _maxStringBytes;
    private int _allowedTableBytes;
    private readonly HuffmanScratch _names = new();
    private readonly HuffmanScratch _values = new();

    /// <param name="maxTableBytes">The size limit for the peer; until it acknowledges the settings, 4,096 is also allowed.</param>
    /// <param name="maxStringBytes">Maximum length of a name or value, decoded.</param>
    internal HpackDecoder(int maxTableBytes, int maxStringBytes)
    {
        _allowedTableBytes = Math.Max(maxTableBytes, DefaultTableBytes);
        _maxStringBytes = maxStringBytes;
    }

    /// <summary>The default table size (RFC 9113, section 6.5.2).</summary>
    internal const int DefaultTableBytes = 4096;

    internal HpackDynamicTable Table { get; } = new(DefaultTableBytes);

    /// <summary>The peer has acknowledged its size limit.</summary>
    /// <remarks>
    /// One that adds no fields may not announce the smaller size, though it should (RFC 9113, section 4.3.1): .NET's HttpClient does not. Until it
    /// does, the table keeps its size. Indexes count from the newest field, so a larger table than the peer's decodes the same.
    /// </remarks>
    internal void Allow(int maxTableBytes) => _allowedTableBytes = maxTableBytes;

    /// <summary>Decodes one complete block.</summary>
    internal HpackError Decode<TFields>(ReadOnlySpan<byte> block, TFields fields)
        where TFields : class, IHpackFields
    {
        HpackError error = ReadSizeUpdates(ref block);
        while (error == HpackError.None && !block.IsEmpty)
        {
            byte first = block[0];
            error = first switch
            {
                >= 0x80 => ReadIndexed(ref block, fields),
                >= 0x40 => ReadLiteral(ref block, prefixBits: 6, isAdded: true, isNeverIndexed: false, fields),
                >= 0x20 => HpackError.LateSizeUpdate,
                >= 0x10 => ReadLiteral(ref block, prefixBits: 4, isAdded: false, isNeverIndexed: true, fields),
                _ => ReadLiteral(ref block, prefixBits: 4, isAdded: false, isNeverIndexed: false, fields),
            };
        }

        return error;
    }

    private HpackError ReadSizeUpdates(ref ReadOnlySpan<byte> block)
    {
        while (!block.IsEmpty && (block[0] & 0xE0) == 0x20)
        {
            HpackError error = ReadInteger(ref block, 5, out int size);
            if (error != HpackError.None)
            {
                return error;
            }

            if (size > _allowedTableBytes)
            {
                return HpackError.SizeTooLarge;
            }

            Table.Resize(size);
        }

        return HpackError.None;
    }

    private HpackError ReadIndexed<TFields>(ref ReadOnlySpan<byte> block, TFields fields)
        where TFields : class, IHpackFields
    {
        int index = block[0] & 0x7F;
        if (index != 0x7F)
        {
            block = block[1..];
        }
        else if (ReadInteger(ref block, 7, out index) is not HpackError.None and HpackError error)
        {
            return error;
        }

        if (Find(index) is not { } field)
        {
            return HpackError.UnknownIndex;
        }

        fields.OnField(field);
        return HpackError.None;
    }

    private HpackError ReadLiteral<TFields>(
        ref ReadOnlySpan<byte> block, int prefixBits, bool isAdded, bool isNeverIndexed, TFields fields)
        where TFields : class, IHpackFields
    {
        HpackError error = ReadInteger(ref block, prefixBits, out int index);
        if (error != HpackError.None)
        {
            return error;
        }

        HpackField? tableName = null;
        ReadOnlySpan<byte> name;
        if (index == 0)
        {
            error = ReadString(ref block, _names, out name);
        }
        else
        {
            tableName = Find(index);
            name = tableName is null ? default : tableName.Name;
            error = tableName is null ? HpackError.UnknownIndex : HpackError.None;
        }

        if (error != HpackError.None)
        {
            return error;
        }

        error = ReadString(ref block, _values, out ReadOnlySpan<byte> value);
        if (error != HpackError.None)
        {
            return error;
        }

        if (!isAdded)
        {
            fields.OnLiteral(tableName, name, value, isNeverIndexed);
            return HpackError.None;
        }

        // The name may belong to a field that the addition evicts; arrays outlive that.
        var field = new HpackField(tableName?.Name ?? name.ToArray(), value.ToArray());
        _ = Table.TryAdd(field);
        fields.OnField(field);
        return HpackError.None;
    }

    private HpackField? Find(int index)
    {
        if (index == 0)
        {
            return null;
        }

        if (index <= HpackStaticTable.Count)
        {
            return HpackStaticTable.Get(index);
        }

        index -= HpackStaticTable.Count + 1;
        return index < Table.Count ? Table[index] : null;
    }

    private HpackError ReadString(scoped ref ReadOnlySpan<byte> block, HuffmanScratch scratch, out ReadOnlySpan<byte> text)
    {
        text = default;
        bool isHuffman = !block.IsEmpty && block[0] >= 0x80;
        HpackError error = ReadInteger(ref block, 7, out int length);
        if (error != HpackError.None)
        {
            return error;
        }

        // A Huffman code has at most 30 bits and mostly fewer than 8, so an allowed string may be longer encoded.
        if (length > (isHuffman ? _maxStringBytes * 4L : _maxStringBytes))
        {
            return HpackError.StringTooLong;
        }

        if (length > block.Length)
        {
            return HpackError.Truncated;
        }

        ReadOnlySpan<byte> source = block[..length];
        block = block[length..];
        if (!isHuffman)
        {
            text = source;
            return HpackError.None;
        }

        return scratch.Decode(source, _maxStringBytes, out text) switch
        {
            HuffmanResult.Done => HpackError.None,
            HuffmanResult.TooLong => HpackError.StringTooLong,
            _ => HpackError.InvalidHuffman,
        };
    }

    private static HpackError ReadInteger(scoped ref ReadOnlySpan<byte> block, int prefixBits, out int value)
    {
        int taken = HpackInteger.Read(block, prefixBits, out value);
        if (taken <= 0)
        {
            return taken == 0 ? HpackError.Truncated : HpackError.IntegerTooLarge;
        }

        block = block[taken..];
        return HpackError.None;
    }
}
