namespace Ioxide.Http2;

/// <summary>What an exchange asks of its stream.</summary>
[Flags]
internal enum Submitted
{
    None = 0,
    Continue = 1,
    Head = 2,
    End = 4,
    Reset = 8,
    HandlerDone = 16,

    /// <summary>The answer has all bytes that its Content-Length promised.</summary>
    LastByte = 32,
}
