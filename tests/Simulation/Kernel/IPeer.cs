namespace Ioxide.Simulation;

/// <summary>The other end of a socket.</summary>
internal interface IPeer
{
    /// <summary>The kernel copied bytes out of the server's memory, at this moment.</summary>
    void BytesSent(ReadOnlySpan<byte> bytes);

    /// <summary>The kernel receives what it sent. False: the pattern of its key.</summary>
    bool CopySent(Span<byte> target, long offset) => false;

    /// <summary>All that was sent has been read, and nothing more comes.</summary>
    void FinSent();

    /// <param name="lostBytes">What was sent to it and not read.</param>
    void WasReset(int lostBytes);
}
