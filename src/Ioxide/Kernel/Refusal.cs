namespace Ioxide;

/// <summary>Why a call that rings need was refused, judged by its error number and the host's facts.</summary>
/// <param name="Support">The kind of refusal.</param>
/// <param name="Cause">Part of a sentence, to follow "because".</param>
/// <param name="Remedy">Sentences for an operator.</param>
internal readonly record struct Refusal(RingSupport Support, string Cause, string Remedy)
{
    internal const string RunOnNewer = "Run on Linux 6.1 or newer.";

    /// <summary>How the call begins that names an operation of a ring.</summary>
    internal const string OperationCall = "io_uring_enter(";

    internal const string RaiseOpenFiles = "Raise the limit of open files (ulimit -n, LimitNOFILE=).";

    private const string AllowRings =
        "Allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp profile of the container (deploy/seccomp.json) or in " +
        "the SystemCallFilter= of the systemd unit.";

    /// <param name="errno">The positive error number; 0 if the kernel answered and lacks something.</param>
    /// <param name="call">The call that failed, such as <c>io_uring_enter</c>.</param>
    /// <param name="facts">The host's facts.</param>
    internal static Refusal Of(int errno, string call, HostFacts facts) => errno switch
    {
        0 => new(
            RingSupport.TooOld,
            "this kernel's io_uring lacks an operation that the runtime needs",
            facts.IsOld ? RunOnNewer : "Run on a kernel whose io_uring is that of Linux 6.1 or newer, not on a sandbox's own kernel."),
        Errno.EPERM or Errno.EACCES => Forbidden(errno, call, facts),
        Errno.ENOSYS or Errno.EINVAL or Errno.EOPNOTSUPP => Unknown(errno, call, facts),
        Errno.ENOMEM => new(
            RingSupport.OutOfLockedMemory, "the limit of locked memory leaves no room for a ring", MemoryLockBudget.Remedy()),
        Errno.EMFILE or Errno.ENFILE => new(
            RingSupport.OutOfDescriptors, "no file descriptor is left", RaiseOpenFiles),
        _ => new(RingSupport.Failed, "the kernel refused", "See docs/fallback.md."),
    };

    /// <param name="errorName">Why connections cannot be accepted, such as <c>EMFILE</c>.</param>
    internal static string RemedyOfAccept(string errorName) => errorName switch
    {
        nameof(Errno.EMFILE) => RaiseOpenFiles,
        nameof(Errno.ENFILE) => "Raise the host's limit of open files (sysctl fs.file-max).",
        _ => "Raise the limit of memory (MemoryMax=, --memory), or look for what uses it.",
    };

    /// <summary>For an operating system without rings.</summary>
    internal static Refusal OfPlatform() => new(RingSupport.NotLinux, "this is not 64-bit Linux", "Run on 64-bit Linux 6.1 or newer.");

    /// <summary>What to do where a call is refused that only one feature needs.</summary>
    /// <param name="call">The call, with its command or option if it has several.</param>
    /// <param name="errorName">The error's name, such as <c>EPERM</c>.</param>
    internal static string RemedyOfFeature(string call, string errorName)
    {
        if (errorName is nameof(Errno.EMFILE) or nameof(Errno.ENFILE))
        {
            return RaiseOpenFiles;
        }

        // The kernel refuses it too, to unprivileged users whose pipes hold much already.
        return call == PagePipe.SetSizeCall ? $"Raise the sysctl fs.pipe-user-pages-soft, or {Allow("allow", call)}" : Allow("Allow", call);
    }

    private static Refusal Forbidden(int errno, string call, HostFacts facts)
    {
        if (call.StartsWith(OperationCall, StringComparison.Ordinal))
        {
            return new(
                RingSupport.Forbidden,
                "a list of operations that this process was started under leaves it out",
                "Allow in that list what SECURITY.md names, or start the process without one.");
        }

        var causes = new List<string>();
        var remedies = new List<string>();
        if (call == "io_uring_setup" && facts.RingsDisabled is 2)
        {
            causes.Add("the sysctl kernel.io_uring_disabled is 2, which forbids rings to every process");
            remedies.Add("Set kernel.io_uring_disabled to 0 on the host.");
        }
        else if (call == "io_uring_setup" && facts.RingsDisabled is 1)
        {
            causes.Add(
                "the sysctl kernel.io_uring_disabled is 1, which forbids rings to processes without CAP_SYS_ADMIN that are not in the " +
                $"group kernel.io_uring_group ({facts.RingsGroup?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "none"})");
            remedies.Add("Set kernel.io_uring_disabled to 0 on the host, or run the process in that group.");
        }

        if (facts.HasFilter)
        {
            causes.Add("a seccomp filter is at work here (the profile of Docker, containerd or Kubernetes, or systemd's SystemCallFilter=)");
            remedies.Add(Allow(call));
        }

        if (causes.Count == 0)
        {
            causes.Add(errno == Errno.EACCES
                ? "a security module such as SELinux forbids it, or a list of operations that this process was started under (Linux 7.0)"
                : "a sandbox, a security module or a seccomp profile that this process cannot see forbids it");
            remedies.Add(Allow(call));
        }

        return new(RingSupport.Forbidden, string.Join(", and ", causes), string.Join(' ', remedies));
    }

    /// <summary>The answers of a kernel that does not know the call or its arguments, and of filters that pretend to be one.</summary>
    private static Refusal Unknown(int errno, string call, HostFacts facts)
    {
        if (facts.IsOld)
        {
            return new(
                errno == Errno.ENOSYS ? RingSupport.NotImplemented : RingSupport.TooOld, "this kernel is older than Linux 6.1", RunOnNewer);
        }

        string cause = facts.HasFilter
            ? "this kernel is new enough, and a seccomp filter that is at work here answers in its place"
            : errno == Errno.ENOSYS
                ? "this kernel is new enough, and something filters the call: a sandbox's own kernel (gVisor), or it was built without io_uring"
                : "this kernel is new enough, and something filters the call, such as a sandbox's own kernel (gVisor)";
        return new(errno == Errno.ENOSYS ? RingSupport.NotImplemented : RingSupport.Forbidden, cause, Allow(call));
    }

    private static string Allow(string call) => call.StartsWith("io_uring_", StringComparison.Ordinal)
        ? AllowRings
        : Allow("Allow", call);

    private static string Allow(string verb, string call)
        => $"{verb} {call} in the seccomp profile of the container (deploy/seccomp.json) or in the SystemCallFilter= of the systemd unit.";
}
