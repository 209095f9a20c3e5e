namespace Ioxide.Http2;

/// <summary>How decoding a Huffman string ended.</summary>
internal enum HuffmanResult
{
    /// <summary>The string is whole.</summary>
    Done,

    /// <summary>It holds the end of string, or its padding is a byte or more or has a zero (RFC 7541, section 5.2).</summary>
    Invalid,

    /// <summary>The string is longer than the room for it.</summary>
    TooLong,
}
