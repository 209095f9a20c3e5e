namespace Ioxide.Compare;

/// <summary>How a workload is measured.</summary>
internal enum WorkloadKind
{
    /// <summary>Warm servers under a steady load.</summary>
    Load,

    /// <summary>The memory of a fresh server that holds connections which do nothing.</summary>
    Idle,

    /// <summary>From the start of the process to its first reply.</summary>
    Startup,
}
