namespace Ioxide.Files;

/// <summary>Which file or folder of the machine it is, whatever its name is.</summary>
internal readonly record struct FileIdentity(ulong Device, ulong Inode)
{
    internal static FileIdentity Of(in FileStatus status) => new(((ulong)status.DeviceMajor << 32) | status.DeviceMinor, status.Inode);
}

/// <summary>Distinguishes versions of a file without reading it.</summary>
/// <remarks>Times are since 1970, and as wide as file systems have them: years 1902 to 2446 and beyond.</remarks>
internal readonly record struct FileVersion(
    FileIdentity Identity, long Length, long ModifiedSeconds, long ChangedSeconds, uint ModifiedRestNs, uint ChangedRestNs)
{
    // A clock of the kernel's may stand still that long while a file is written.
    private const long CoarseClockNs = 100_000_000;
    private const long NanosecondsPerSecond = 1_000_000_000;

    internal Int128 ModifiedNs => ((Int128)ModifiedSeconds * NanosecondsPerSecond) + ModifiedRestNs;

    internal Int128 ChangedNs => ((Int128)ChangedSeconds * NanosecondsPerSecond) + ChangedRestNs;

    internal static FileVersion Of(in FileStatus status) => new(
        FileIdentity.Of(status),
        (long)Math.Min(status.Length, long.MaxValue),
        status.Modified.Seconds,
        status.Changed.Seconds,
        status.Modified.Nanoseconds,
        status.Changed.Nanoseconds);

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
