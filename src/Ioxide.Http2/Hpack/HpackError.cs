namespace Ioxide.Http2;

/// <summary>Why a header block cannot be decoded. Each one is the end of the connection: the table's state is lost.</summary>
internal enum HpackError
{
    None,

    /// <summary>The block ends within a field, or with a change of the table's size alone where fields must follow.</summary>
    Truncated,

    /// <summary>An integer is above 2^31 - 1 or has more than 6 bytes.</summary>
    IntegerTooLarge,

    /// <summary>Index 0, or one behind the end of the dynamic table.</summary>
    UnknownIndex,

    /// <summary>A change of the table's size behind a field (RFC 7541, section 4.2).</summary>
    LateSizeUpdate,

    /// <summary>A size above the one that was allowed.</summary>
    SizeTooLarge,

    /// <summary>The table has to shrink to what was allowed, and the block does not begin with that.</summary>
    MissingSizeUpdate,

    /// <summary>A Huffman string is not one.</summary>
    InvalidHuffman,

    /// <summary>A name or a value is longer than allowed.</summary>
    StringTooLong,
}
