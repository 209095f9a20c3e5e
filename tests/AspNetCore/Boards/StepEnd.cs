namespace Ioxide.AspNetCore.Tests;

/// <summary>How a connection stands after a step of a case.</summary>
internal enum StepEnd
{
    /// <summary>It is open, and may be used for more.</summary>
    Open,

    /// <summary>The server has ended it.</summary>
    Closed,

    /// <summary>It is open, and no whole answer has come.</summary>
    Silent,

    /// <summary>What came is no response of HTTP/1, but a frame of HTTP/2.</summary>
    Http2,

    /// <summary>What came is no response.</summary>
    Garbage,
}
