using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>How to open a file: <c>struct open_how</c>, 24 bytes.</summary>
/// <remarks>Source: openat2(2), Linux 5.6.</remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeInBytes)]
internal struct OpenHow
{
    internal const int SizeInBytes = 24;

    [FieldOffset(0)] internal ulong Flags;
    [FieldOffset(8)] internal ulong Mode;
    [FieldOffset(16)] internal ulong Resolve;
}

/// <summary>A moment of a file's times: <c>struct statx_timestamp</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct FileTimestamp
{
    [FieldOffset(0)] internal long Seconds;
    [FieldOffset(8)] internal uint Nanoseconds;

    /// <summary>The moment, in units of 100 ns.</summary>
    internal readonly DateTimeOffset ToDateTime()
        => DateTimeOffset.FromUnixTimeSeconds(Seconds).AddTicks(Nanoseconds / TimeSpan.NanosecondsPerTick);
}

/// <summary>What the kernel says of a file: <c>struct statx</c>, 256 bytes.</summary>
/// <remarks>Source: statx(2), Linux 4.11. Only what is read here has a name.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct FileStatus
{
    [FieldOffset(0)] internal uint Mask;
    [FieldOffset(28)] internal ushort Mode;
    [FieldOffset(32)] internal ulong Inode;
    [FieldOffset(40)] internal ulong Length;
    [FieldOffset(96)] internal FileTimestamp Changed;
    [FieldOffset(112)] internal FileTimestamp Modified;
    [FieldOffset(136)] internal uint DeviceMajor;
    [FieldOffset(140)] internal uint DeviceMinor;

    internal readonly bool IsRegular => (Mode & FileConstants.ModeTypeMask) == FileConstants.ModeRegular;

    internal readonly bool IsDirectory => (Mode & FileConstants.ModeTypeMask) == FileConstants.ModeDirectory;
}
