namespace Ioxide.Files;

/// <summary>Which file or folder of the machine it is, whatever its name is.</summary>
internal readonly record struct FileIdentity(ulong Device, ulong Inode)
{
    internal static FileIdentity Of(in FileStatus status) => new(((ulong)status.DeviceMajor << 32) | status.DeviceMinor, status.Inode);
}

/// <summary>Distinguishes versions of a file without reading it.</summary>
/// <remarks>Times are since 1970 in nanoseconds, and as wide as file systems have them: years 1902 to 2446 and beyond.</remarks>
internal readonly record struct FileVersion(FileIdentity Identity, long Length, Int128 ModifiedNs, Int128 ChangedNs)
{
    // A clock of the kernel's may stand still that long while a file is written.
    private const long CoarseClockNs = 100_000_000;

    internal static FileVersion Of(in FileStatus status) => new(
        FileIdentity.Of(status),
        (long)Math.Min(status.Length, long.MaxValue),
        ToNanoseconds(status.Modified),
        ToNanoseconds(status.Changed));

    internal static Int128 ToNanoseconds(in FileTimestamp timestamp) => ((Int128)timestamp.Seconds * 1_000_000_000) + timestamp.Nanoseconds;

    /// <summary>When it was modified, as far as a header may say so: not before the year 1 and not after the answer.</summary>
    /// <param name="now">The latest moment that it may be.</param>
    /// <remarks>Source: RFC 9110, section 8.8.2.1.</remarks>
    internal DateTimeOffset ModifiedBy(DateTimeOffset now)
    {
        long epoch = DateTimeOffset.UnixEpoch.UtcTicks;
        Int128 ticks = Int128.Clamp(epoch + (ModifiedNs / TimeSpan.NanosecondsPerTick), 0, now.UtcTicks);
        return new DateTimeOffset((long)ticks, TimeSpan.Zero);
    }

    /// <summary>Whether a later change would surely show: the last one is older than a tick of the kernel's clock.</summary>
    internal bool IsSettledAt(DateTimeOffset now)
        => ((Int128)(now - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick) - ChangedNs > CoarseClockNs;
}
