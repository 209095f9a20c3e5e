namespace Ioxide;

/// <summary>Flags and values of the calls that open, describe and watch files.</summary>
/// <remarks>
/// Source: include/uapi/asm-generic/fcntl.h, linux/openat2.h, linux/stat.h, linux/inotify.h, DT_* in readdir(3);
/// those used here are the same on x64 and arm64, but for <see cref="OpenNoFollow"/> (arch/arm64/include/uapi/asm/fcntl.h).
/// </remarks>
internal static class FileConstants
{
    internal const int CurrentDirectory = -100;
    internal const ulong OpenReadOnly = 0;
    internal const ulong OpenWriteOnly = 1;
    internal const ulong OpenNonBlocking = 0x800;
    internal const ulong OpenCloseOnExec = 0x80000;
    internal const ulong OpenPath = 0x200000;
    internal const ulong ResolveNoMagicLinks = 2;
    internal const ulong ResolveNoSymbolicLinks = 4;
    internal const ulong ResolveBeneath = 8;
    internal const int StatusEmptyPath = 0x1000;
    internal const uint StatusBasic = 0x7FF;
    internal const ushort ModeTypeMask = 0xF000;
    internal const ushort ModeRegular = 0x8000;
    internal const ushort ModeDirectory = 0x4000;
    internal const ushort ModeLink = 0xA000;
    internal const int NotifyCloseOnExec = 0x80000;
    internal const uint NotifyAttributes = 4;
    internal const uint NotifyCloseWrite = 8;
    internal const uint NotifyMovedFrom = 0x40;
    internal const uint NotifyMovedTo = 0x80;
    internal const uint NotifyCreate = 0x100;
    internal const uint NotifyDelete = 0x200;
    internal const uint NotifyDeleteSelf = 0x400;
    internal const uint NotifyMoveSelf = 0x800;
    internal const uint NotifyOverflow = 0x4000;
    internal const uint NotifyIgnored = 0x8000;
    internal const uint NotifyOnlyDirectory = 0x1000000;
    internal const uint NotifyAddToMask = 0x20000000;
    internal const byte EntryUnknown = 0;
    internal const byte EntryFolder = 4;
    internal const byte EntryFile = 8;
    internal const byte EntryLink = 10;

    /// <summary>O_NOFOLLOW: a link at the end of the path is an error, or opened itself with <see cref="OpenPath"/>.</summary>
    internal static ulong OpenNoFollow => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x8000UL : 0x20000UL;
}
