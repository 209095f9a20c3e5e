namespace Ioxide.Http2;

/// <summary>How a response's field is written.</summary>
internal enum HpackIndexing
{
    /// <summary>Its value is another one for each answer: a literal.</summary>
    None,

    /// <summary>Its value comes again: it is added to the table and is one byte from then on.</summary>
    Added,

    /// <summary>A secret, which no table of anyone on the way may hold: a literal that must stay one (RFC 7541, section 7.1.3).</summary>
    Never,
}
