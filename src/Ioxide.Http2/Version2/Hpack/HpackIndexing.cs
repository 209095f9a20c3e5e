namespace Ioxide.Http2;

/// <summary>How a response's field is written.</summary>
internal enum HpackIndexing
{
    /// <summary>The value differs for each answer: a literal.</summary>
    None,

    /// <summary>The value recurs: it is added to the table and is one byte from then on.</summary>
    Added,

    /// <summary>A secret that no intermediary's table may hold: a literal that must stay one (RFC 7541, section 7.1.3).</summary>
    Never,
}
