namespace Ioxide.Http2;

/// <summary>What a request's field is to the protocol.</summary>
internal enum FieldKind
{
    /// <summary>The application's alone.</summary>
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
