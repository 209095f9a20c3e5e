namespace Ioxide.Http2;

/// <summary>How decoding a Huffman string ended.</summary>
internal enum HuffmanResult
{
    /// <summary>The string is complete.</summary>
    Done,

    /// <summary>It contains the end of string, or its padding is a byte or more or has a zero bit (RFC 7541, section 5.2).</summary>
    Invalid,

    /// <summary>The string does not fit the destination.</summary>
    TooLong,
}
