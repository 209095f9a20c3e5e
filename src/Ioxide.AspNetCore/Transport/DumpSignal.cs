namespace Ioxide.AspNetCore;

/// <summary>A signal on which the transport logs a dump: its reactors, connections, listeners and operations.</summary>
public enum DumpSignal
{
    /// <summary>No signal is handled.</summary>
    None = 0,

    /// <summary>SIGUSR1.</summary>
    SigUsr1 = 10,

    /// <summary>SIGUSR2.</summary>
    SigUsr2 = 12,
}
