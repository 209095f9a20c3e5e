namespace Ioxide.Http2;

/// <summary>The parts of an exchange that are features of the request.</summary>
internal enum ExchangePart
{
    /// <summary>None of them.</summary>
    None,

    /// <summary>The exchange itself.</summary>
    Exchange,
    Request,
    Answer,
    Connection,
    Connect,
}
