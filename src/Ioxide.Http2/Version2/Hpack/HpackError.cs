namespace Ioxide.Http2;

/// <summary>Why a header block cannot be decoded. Each error ends the connection, because the table's state is lost.</summary>
internal enum HpackError
{
    None,

    /// <summary>The block ends within a field, or has only a table size update where fields must follow.</summary>
    Truncated,

    /// <summary>An integer is above 2^31 - 1 or has more than 6 bytes.</summary>
    IntegerTooLarge,

    /// <summary>Index 0, or one beyond the end of the dynamic table.</summary>
    UnknownIndex,

    /// <summary>A table size update after a field (RFC 7541, section 4.2).</summary>
    LateSizeUpdate,

    /// <summary>A size above the limit.</summary>
    SizeTooLarge,

    /// <summary>An invalid Huffman string.</summary>
    InvalidHuffman,

    /// <summary>A name or a value is longer than allowed.</summary>
    StringTooLong,
}
