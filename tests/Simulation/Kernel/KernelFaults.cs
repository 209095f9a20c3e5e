namespace Ioxide.Simulation;

/// <summary>How often the kernel does what it may do and seldom does, in thousandths. 0 never.</summary>
internal sealed class KernelFaults
{
    /// <summary>Enter returns EINTR, or the count of what it took, and no completion.</summary>
    internal int Interrupt { get; set; }

    /// <summary>Enter returns EBUSY and takes nothing.</summary>
    internal int Busy { get; set; }

    /// <summary>Enter takes only some entries.</summary>
    internal int ShortSubmission { get; set; }

    /// <summary>A multishot ends with a completion that carries a result.</summary>
    internal int EndWithResult { get; set; }

    /// <summary>A receive brings less than is there.</summary>
    internal int ShortReceive { get; set; }

    /// <summary>A send copies less than there is room for, and goes on later.</summary>
    internal int ShortSend { get; set; }

    /// <summary>A work that could be done now is done at the next enter.</summary>
    internal int LateWork { get; set; }

    /// <summary>An accept fails with an error that passes.</summary>
    internal int AcceptError { get; set; }

    /// <summary>An operation fails with EINTR, EAGAIN or ENOMEM although nothing is wrong.</summary>
    internal int TransientError { get; set; }

    internal int DescriptorLimit { get; set; } = 1024;

    /// <summary>Drawn with the limit: whether it is the process's own, and not that of the system's table, which nobody foresees.</summary>
    internal bool IsLimitOfProcess => DescriptorLimit % 2 == 0;

    /// <summary>An older kernel: no batched wait, an index array, no registered ring descriptor.</summary>
    internal bool IsOldKernel { get; set; }
}
