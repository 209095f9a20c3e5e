namespace Ioxide;

/// <summary>Which interface of the kernel reactors use. What runs on them is the same.</summary>
public enum KernelChoice
{
    /// <summary>io_uring where the host allows it, else epoll.</summary>
    Auto,

    /// <summary>io_uring, or the start fails with a <see cref="RingUnavailableException"/>. Linux 6.1 or newer.</summary>
    IoUring,

    /// <summary>epoll, which every Linux has and container profiles allow. Takes more processor time per request.</summary>
    Epoll,

    /// <summary>
    /// No reactors for endpoints: Kestrel's sockets transport serves them. An option of <c>UseIoxide()</c> only; <see cref="ReactorOptions"/>
    /// refuses it.
    /// </summary>
    Sockets,
}
