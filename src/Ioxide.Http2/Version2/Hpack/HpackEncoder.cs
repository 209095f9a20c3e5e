using System.Text;

namespace Ioxide.Http2;

/// <summary>Encodes the header blocks of one connection's answers (RFC 7541).</summary>
/// <remarks>
/// <para>Fields with recurring values are added to the table. The four that begin each answer (status, content type, server, date) are one
/// cached run of bytes while they and the table stay the same.</para>
/// <para>Threads: the connection's, one at a time. Blocks must be sent in the order in which they were encoded.</para>
/// </remarks>
internal sealed class HpackEncoder
{
    // A larger table would only hold more fields that never recur.
    private const int MaxTableBytes = HpackDecoder.DefaultTableBytes;

    private int _smallestTableBytes = MaxTableBytes;
    private bool _isResized;

    private readonly HpackBuffer _cached = new();
    private int _cachedStatus;
    private string? _cachedType;
    private string? _cachedServer;
    private string? _cachedDate;
    private long _cachedInsertions = -1;

    internal HpackDynamicTable Table { get; } = new(MaxTableBytes);

    /// <summary>The peer's SETTINGS_HEADER_TABLE_SIZE. The next block announces the chosen size.</summary>
    /// <param name="maxTableBytes">From 0 to 2^32 - 1.</param>
    internal void Allow(uint maxTableBytes)
    {
        int chosen = (int)Math.Min(maxTableBytes, MaxTableBytes);
        if (chosen == Table.MaxSizeBytes)
        {
            return;
        }

        // The smallest size between two blocks counts too: both sides evict the fields that it excludes (section 4.2).
        _smallestTableBytes = _isResized ? Math.Min(_smallestTableBytes, chosen) : chosen;
        _isResized = true;
        Table.Resize(chosen);
        _cachedInsertions = -1;
    }

    /// <summary>Begins a block.</summary>
    internal void Begin(HpackBuffer block)
    {
        if (!_isResized)
        {
            return;
        }

        _isResized = false;
        if (_smallestTableBytes < Table.MaxSizeBytes)
        {
            WriteInteger(block, 5, _smallestTableBytes, 0x20);
        }

        WriteInteger(block, 5, Table.MaxSizeBytes, 0x20);
    }

    /// <summary>Writes the fields that begin each answer.</summary>
    /// <param name="block">A begun block.</param>
    /// <param name="status">From 100 to 999.</param>
    /// <param name="contentType">Null for none.</param>
    /// <param name="server">Null for none.</param>
    /// <param name="date">Null for none. The same object within the same second.</param>
    internal void WriteStart(HpackBuffer block, int status, string? contentType, string? server, string? date)
    {
        if (_cachedInsertions == Table.Insertions
            && _cachedStatus == status
            && ReferenceEquals(_cachedDate, date)
            && _cachedType == contentType
            && _cachedServer == server)
        {
            block.Write(_cached.Written);
            return;
        }

        long before = Table.Insertions;
        int start = block.Length;
        WriteStatus(block, status);
        WriteIfAny(block, "content-type", contentType);
        WriteIfAny(block, "server", server);
        WriteIfAny(block, "date", date);
        if (before != Table.Insertions)
        {
            return;
        }

        _cached.Clear();
        _cached.Write(block.Written[start..]);
        (_cachedStatus, _cachedType, _cachedServer, _cachedDate) = (status, contentType, server, date);
        _cachedInsertions = before;
    }

    /// <summary>Writes only the status, for interim answers.</summary>
    internal static void WriteStatus(HpackBuffer block, int status)
    {
        int index = HpackStaticTable.IndexOfStatus(status);
        if (index > 0)
        {
            WriteInteger(block, 7, index, 0x80);
            return;
        }

        const int AnyStatus = 8;
        WriteInteger(block, 4, AnyStatus, 0);
        Span<byte> span = block.GetSpan(4);
        span[0] = 3;
        span[1] = (byte)('0' + (status / 100));
        span[2] = (byte)('0' + (status / 10 % 10));
        span[3] = (byte)('0' + (status % 10));
        block.Advance(4);
    }

    /// <summary>Writes a field.</summary>
    /// <param name="block">A begun block.</param>
    /// <param name="name">A token, in any case.</param>
    /// <param name="value">Printable ASCII, or what the encoding takes.</param>
    /// <param name="encoding">Null for ASCII.</param>
    internal void Write(HpackBuffer block, string name, string value, Encoding? encoding = null)
    {
        HpackName known = HpackName.Of(name);
        if (encoding is null)
        {
            Write(block, known, value);
            return;
        }

        byte[] bytes = encoding.GetBytes(value);
        WriteName(block, known);
        WriteInteger(block, 7, bytes.Length, 0);
        block.Write(bytes);
    }

    private void WriteIfAny(HpackBuffer block, string name, string? value)
    {
        if (value is not null)
        {
            Write(block, HpackName.Of(name), value);
        }
    }

    private void Write(HpackBuffer block, HpackName name, string value)
    {
        if (name.Indexing == HpackIndexing.Added)
        {
            WriteAdded(block, name, value);
        }
        else
        {
            WriteLiteral(block, name, value);
        }
    }

    private void WriteAdded(HpackBuffer block, HpackName name, string value)
    {
        for (int index = 0; index < Table.Count; index++)
        {
            HpackField known = Table[index];
            if (ReferenceEquals(known.Name, name.Bytes) && Ascii.Equals(known.Value, value))
            {
                WriteInteger(block, 7, HpackStaticTable.Count + 1 + index, 0x80);
                return;
            }
        }

        // A field of half the table's size would evict the fields of each answer.
        if (name.Bytes.Length + value.Length + HpackField.OverheadBytes > Table.MaxSizeBytes / 2)
        {
            WriteLiteral(block, name, value);
            return;
        }

        var field = new HpackField(name.Bytes, Encoding.ASCII.GetBytes(value));
        WriteInteger(block, 6, name.StaticIndex, 0x40);
        if (name.StaticIndex == 0)
        {
            WriteShortest(block, field.Name);
        }

        WriteShortest(block, field.Value);
        _ = Table.TryAdd(field);
    }

    /// <summary>A value that is written once and is then an index is worth the shorter form.</summary>
    private static void WriteShortest(HpackBuffer block, byte[] text)
    {
        int length = Huffman.EncodedLength(text);
        if (length >= text.Length)
        {
            WriteInteger(block, 7, text.Length, 0);
            block.Write(text);
            return;
        }

        WriteInteger(block, 7, length, 0x80);
        Huffman.Encode(text, block.GetSpan(length)[..length]);
        block.Advance(length);
    }

    private static void WriteName(HpackBuffer block, HpackName name)
    {
        WriteInteger(block, 4, name.StaticIndex, name.Indexing == HpackIndexing.Never ? (byte)0x10 : (byte)0);
        if (name.StaticIndex == 0)
        {
            WriteInteger(block, 7, name.Bytes.Length, 0);
            block.Write(name.Bytes);
        }
    }

    private static void WriteLiteral(HpackBuffer block, HpackName name, string value)
    {
        WriteName(block, name);
        WriteInteger(block, 7, value.Length, 0);
        int written = Encoding.ASCII.GetBytes(value, block.GetSpan(value.Length));
        block.Advance(written);
    }

    private static void WriteInteger(HpackBuffer block, int prefixBits, int value, byte pattern)
        => block.Advance(HpackInteger.Write(block.GetSpan(HpackInteger.MaxBytes), prefixBits, value, pattern));
}
