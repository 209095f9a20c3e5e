namespace Ioxide;

/// <summary>A ring could not be made: the message says why, <see cref="Remedy"/> what to do about it.</summary>
public sealed class RingUnavailableException : IOException
{
    internal RingUnavailableException(RingSupport support, int errno, string step)
        : base($"io_uring is not available: {Explain(support)} ({step}: {Errno.Name(errno)}). {RemedyFor(support)}")
    {
        Support = support;
        ErrorNumber = errno;
        Remedy = RemedyFor(support);
    }

    /// <summary>The cause.</summary>
    public RingSupport Support { get; }

    /// <summary>The kernel's error number, positive; 0 where no call failed.</summary>
    public int ErrorNumber { get; }

    /// <summary>What an operator can do, one sentence.</summary>
    public string Remedy { get; }

    internal static RingSupport Classify(int errno) => errno switch
    {
        0 => RingSupport.Supported,
        Errno.EPERM or Errno.EACCES => RingSupport.Forbidden,
        Errno.ENOSYS => RingSupport.NotImplemented,
        Errno.EINVAL or Errno.EOPNOTSUPP => RingSupport.TooOld,
        Errno.ENOMEM => RingSupport.OutOfLockedMemory,
        Errno.EMFILE or Errno.ENFILE => RingSupport.OutOfDescriptors,
        _ => RingSupport.Failed,
    };

    internal static string RemedyFor(RingSupport support) => support switch
    {
        RingSupport.Forbidden =>
            "Allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile " +
            "(deploy/seccomp.json) and set the sysctl kernel.io_uring_disabled to 0.",
        RingSupport.NotImplemented or RingSupport.TooOld => "Run on Linux 6.1 or newer.",
        RingSupport.OutOfLockedMemory => MemoryLockBudget.Remedy(),
        RingSupport.OutOfDescriptors => "Raise the limit of open files (ulimit -n, LimitNOFILE=).",
        RingSupport.NotLinux => "Run on 64-bit Linux 6.1 or newer.",
        _ => "See docs/fallback.md.",
    };

    private static string Explain(RingSupport support) => support switch
    {
        RingSupport.Forbidden => "a seccomp profile or kernel.io_uring_disabled forbids it",
        RingSupport.NotImplemented => "this kernel does not have it",
        RingSupport.TooOld => "this kernel is older than Linux 6.1 or lacks a needed operation",
        RingSupport.OutOfLockedMemory => "the limit of locked memory leaves no room for a ring",
        RingSupport.OutOfDescriptors => "no file descriptor is left",
        RingSupport.NotLinux => "this is not 64-bit Linux",
        _ => "the kernel refused",
    };
}
