namespace Ioxide.Http2;

/// <summary>What the fields of a message are for.</summary>
internal enum FieldsKind
{
    /// <summary>They came from the client; the application may set others.</summary>
    Received,

    /// <summary>They are sent, so their texts are checked.</summary>
    Response,

    /// <summary>As <see cref="Response"/>, behind the body: no field has a meaning for the protocol.</summary>
    Trailers,
}
