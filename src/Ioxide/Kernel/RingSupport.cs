namespace Ioxide;

/// <summary>Whether this process may create rings, and if not, why.</summary>
public enum RingSupport
{
    /// <summary>Rings can be created and offer what the runtime needs.</summary>
    Supported,

    /// <summary>
    /// A seccomp profile, <c>kernel.io_uring_disabled</c> or a security module forbids a call that rings need (EPERM, EACCES), or
    /// something in front of a recent kernel filters it (EINVAL).
    /// </summary>
    Forbidden,

    /// <summary>ENOSYS: the kernel, or a sandbox in its place, has no io_uring.</summary>
    NotImplemented,

    /// <summary>The kernel is older than Linux 6.1, or lacks a required operation.</summary>
    TooOld,

    /// <summary>ENOMEM: the limit of locked memory (RLIMIT_MEMLOCK) leaves no room for a ring.</summary>
    OutOfLockedMemory,

    /// <summary>EMFILE or ENFILE: no descriptor is left.</summary>
    OutOfDescriptors,

    /// <summary>The operating system is not Linux, or the process is not 64 bit.</summary>
    NotLinux,

    /// <summary>Another error; the message names it.</summary>
    Failed,
}
