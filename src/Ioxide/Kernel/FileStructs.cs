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

/// <summary>The kernel's description of a file: <c>struct statx</c>, 256 bytes.</summary>
/// <remarks>Source: statx(2), Linux 4.11. Only fields that are read here have names.</remarks>
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

    internal readonly bool IsLink => (Mode & FileConstants.ModeTypeMask) == FileConstants.ModeLink;

    internal readonly bool IsDirectory => (Mode & FileConstants.ModeTypeMask) == FileConstants.ModeDirectory;
}

/// <summary>Converts <c>struct stat</c>, whose layout depends on the architecture, into the result of statx(2).</summary>
/// <remarks>Source: arch/x86/include/uapi/asm/stat.h (144 bytes), include/uapi/asm-generic/stat.h (128 bytes).</remarks>
internal static unsafe class PlainFileStatus
{
    internal const int MaxBytes = 144;
    private const int InodeOffset = 8;
    private const int ModeOffset = 24;
    private const int ModeOffsetArm = 16;
    private const int LengthOffset = 48;
    private const int ModifiedOffset = 88;
    private const int ChangedOffset = 104;

    internal static FileStatus Read(byte* stat, bool isArm)
    {
        // A device number: 12 bits of the major from bit 8 on and the rest from 44 on, 8 bits of the minor and the rest from 20 on.
        ulong device = *(ulong*)stat;
        return new FileStatus
        {
            Mask = FileConstants.StatusBasic,
            Mode = (ushort)*(uint*)(stat + (isArm ? ModeOffsetArm : ModeOffset)),
            Inode = *(ulong*)(stat + InodeOffset),
            Length = *(ulong*)(stat + LengthOffset),
            Modified = ReadTime(stat + ModifiedOffset),
            Changed = ReadTime(stat + ChangedOffset),
            DeviceMajor = (uint)(((device >> 8) & 0xFFF) | ((device >> 32) & 0xFFFFF000)),
            DeviceMinor = (uint)((device & 0xFF) | ((device >> 12) & 0xFFFFFF00)),
        };
    }

    private static FileTimestamp ReadTime(byte* time)
        => new() { Seconds = *(long*)time, Nanoseconds = (uint)*(ulong*)(time + sizeof(long)) };
}
