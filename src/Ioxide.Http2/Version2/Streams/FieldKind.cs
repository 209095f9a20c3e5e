namespace Ioxide.Http2;

/// <summary>A request field's role in the protocol.</summary>
internal enum FieldKind
{
    /// <summary>Only for the application.</summary>
    Regular,
    Method,
    Path,
    Scheme,
    Authority,
    Protocol,
    Cookie,
    ContentLength,

    /// <summary>It makes the request malformed (RFC 9113, section 8.1.1).</summary>
    Malformed,
}
