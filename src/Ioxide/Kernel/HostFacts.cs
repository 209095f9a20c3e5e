namespace Ioxide;

/// <summary>What a process can see of a host that refuses a call.</summary>
/// <param name="Release">The kernel's release, such as <c>6.18.44</c>; empty if unknown.</param>
/// <param name="RingsDisabled">The sysctl <c>kernel.io_uring_disabled</c>, or null if it does not exist (before Linux 6.6).</param>
/// <param name="RingsGroup">The sysctl <c>kernel.io_uring_group</c>, or null.</param>
/// <param name="HasFilter">Whether a seccomp filter is active on the calling thread.</param>
/// <remarks>Source: proc_pid_status(5), Documentation/admin-guide/sysctl/kernel.rst.</remarks>
internal sealed record HostFacts(string Release, int? RingsDisabled, int? RingsGroup, bool HasFilter)
{
    private static readonly Version s_floor = new(6, 1);

    /// <summary>Whether the kernel reports a version below the runtime's floor, Linux 6.1.</summary>
    internal bool IsOld => IsBefore(s_floor);

    /// <summary>Whether the kernel reports a version below that one. False where it reports none.</summary>
    internal bool IsBefore(Version other) => Version.TryParse(NumberOf(Release), out Version? version) && version < other;

    /// <summary>Reads the facts from the kernel. Unreadable ones count as absent: this is for messages only.</summary>
    internal static HostFacts Read() => new(
        Sys.KernelRelease(),
        KernelFile.Number("/proc/sys/kernel/io_uring_disabled"),
        KernelFile.Number("/proc/sys/kernel/io_uring_group"),
        KernelFile.Text("/proc/thread-self/status").Contains("\nSeccomp:\t2", StringComparison.Ordinal));

    /// <summary>The numbers before a distribution's suffix.</summary>
    private static string NumberOf(string release)
        => string.Concat(release.TakeWhile(static character => char.IsAsciiDigit(character) || character == '.')).TrimEnd('.');
}
