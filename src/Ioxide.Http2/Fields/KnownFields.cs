namespace Ioxide.Http2;

/// <summary>Fields of a response that mean something to the server.</summary>
[Flags]
internal enum KnownFields
{
    None = 0,
    ContentType = 1,
    ContentLength = 2,
    Server = 4,
    Date = 8,

    /// <summary>One about the connection, which HTTP/2 does not have (RFC 9113, section 8.2.2).</summary>
    Connection = 16,
}
