namespace Ioxide.Pg.Tests;

/// <summary>How a server is stopped.</summary>
internal enum StopMode
{
    /// <summary>Ends connections with FATAL 57P01, and itself in order.</summary>
    Fast,

    /// <summary>Ends with at most a WARNING to the clients, never an ErrorResponse, and recovers at the next start.</summary>
    Immediate,
}
