namespace Ioxide.Files;

/// <summary>What tells one version of a file from the next without reading it.</summary>
internal readonly record struct FileVersion(ulong Device, ulong Inode, long Length, long ModifiedNs, long ChangedNs)
{
    // A clock of the kernel's may stand still that long while a file is written.
    private const long CoarseClockNs = 100_000_000;

    internal static FileVersion Of(in FileStatus status) => new(
        ((ulong)status.DeviceMajor << 32) | status.DeviceMinor,
        status.Inode,
        checked((long)status.Length),
        ToNanoseconds(status.Modified),
        ToNanoseconds(status.Changed));

    internal DateTimeOffset Modified => DateTimeOffset.UnixEpoch.AddTicks(ModifiedNs / TimeSpan.NanosecondsPerTick);

    /// <summary>Whether a later change would surely show: the last one is older than a tick of the kernel's clock.</summary>
    internal bool IsSettledAt(DateTimeOffset now)
        => ((now - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick) - ChangedNs > CoarseClockNs;

    private static long ToNanoseconds(in FileTimestamp timestamp)
        => checked((timestamp.Seconds * 1_000_000_000) + timestamp.Nanoseconds);
}
