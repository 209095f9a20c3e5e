using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]

namespace Ioxide;

/// <summary>Every system call of the runtime. Each returns a value of 0 or above, or <c>-errno</c>; nothing else calls libc.</summary>
internal static unsafe partial class Sys
{
    internal const int ProtectRead = 1;
    internal const int ProtectWrite = 2;
    internal const int MapShared = 1;
    internal const int MapPrivate = 2;
    internal const int MapAnonymous = 0x20;
    internal const int MapPopulate = 0x8000;
    internal const int AdviseCollapse = 25;
    internal const int ResourceMemoryLock = 8;
    internal const int ResourceOpenFiles = 7;

    // The same numbers on every architecture (asm-generic/unistd.h).
    private const int SetupNumber = 425;
    private const int EnterNumber = 426;
    private const int RegisterNumber = 427;

    /// <summary>Makes a ring. Source: io_uring_setup(2), Linux 5.1.</summary>
    internal static int RingSetup(uint entries, RingParams* parameters)
        => Result(SyscallNative(SetupNumber, (nint)entries, (nint)parameters, 0, 0, 0, 0));

    /// <summary>Submits and waits. EINTR is returned: the loop looks at its queues before it waits again.</summary>
    /// <remarks>Source: io_uring_enter(2). A normal transition: a collection goes on while the reactor sleeps.</remarks>
    internal static int RingEnter(
        int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        => Result(SyscallNative(
            EnterNumber, fd, (nint)toSubmit, (nint)minComplete, (nint)(uint)flags, (nint)argument, (nint)argumentSize));

    /// <summary>Registers something with a ring. Source: io_uring_register(2).</summary>
    internal static int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
    {
        int result;
        do
        {
            result = Result(SyscallNative(RegisterNumber, fd, (nint)(uint)opcode, (nint)argument, (nint)count, 0, 0));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>Maps memory; null and <paramref name="error"/> (positive errno) where it is refused.</summary>
    internal static void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
    {
        nint address = MapNative(0, length, protection, flags, fd, offset);
        error = address == -1 ? Marshal.GetLastPInvokeError() : 0;
        return address == -1 ? null : (void*)address;
    }

    internal static int Unmap(void* address, nuint length) => Result(UnmapNative((nint)address, length));

    internal static int Close(int fd) => Result(CloseNative(fd));

    internal static int Socket(int family, int type, int protocol) => Result(SocketNative(family, type, protocol));

    internal static int Bind(int fd, byte* address, uint length) => Result(BindNative(fd, address, length));

    internal static int Listen(int fd, int backlog) => Result(ListenNative(fd, backlog));

    /// <summary>Accepts one connection, close-on-exec, without an address. Only on listeners that do not block.</summary>
    internal static int Accept(int fd, int flags)
    {
        int result;
        do
        {
            result = Result(Accept4Native(fd, null, null, flags));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    internal static int Shutdown(int fd, int how) => Result(ShutdownNative(fd, how));

    internal static int SetSocketOption(int fd, int level, int option, int value)
        => Result(SetSocketOptionNative(fd, level, option, &value, sizeof(int)));

    internal static int SetSocketOption(int fd, int level, int option, void* value, uint length)
        => Result(SetSocketOptionNative(fd, level, option, value, length));

    internal static int GetSocketOption(int fd, int level, int option, out int value)
    {
        int read = 0;
        uint length = sizeof(int);
        int result = Result(GetSocketOptionNative(fd, level, option, &read, &length));
        value = read;
        return result;
    }

    internal static int GetSocketOption(int fd, int level, int option, void* value, uint* length)
        => Result(GetSocketOptionNative(fd, level, option, value, length));

    internal static int GetSocketName(int fd, byte* address, uint* length) => Result(GetSocketNameNative(fd, address, length));

    internal static int GetPeerName(int fd, byte* address, uint* length) => Result(GetPeerNameNative(fd, address, length));

    /// <summary>A counter that wakes a reactor, close-on-exec and non-blocking. Source: eventfd(2).</summary>
    internal static int EventDescriptor()
    {
        const int CloseOnExec = 0x80000;
        const int NonBlocking = 0x800;
        return Result(EventDescriptorNative(0, CloseOnExec | NonBlocking));
    }

    internal static int Write(int fd, void* buffer, nuint length)
    {
        int result;
        do
        {
            result = Result(WriteNative(fd, buffer, length));
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>Bytes that wait in a socket (FIONREAD, tcp(7)), or <c>-errno</c>.</summary>
    internal static int BytesAvailable(int fd)
    {
        const nuint BytesToRead = 0x541B;
        int count = 0;
        int result = Result(ControlNative(fd, BytesToRead, &count));
        return result < 0 ? result : count;
    }

    /// <summary>A second descriptor for the same file, close-on-exec.</summary>
    internal static int Duplicate(int fd)
    {
        const int DuplicateCloseOnExec = 1030;
        return Result(FileControlNative(fd, DuplicateCloseOnExec, 0));
    }

    /// <summary>Makes calls on an open file return at once, or wait again: whoever has a duplicate sees it too.</summary>
    /// <returns>1 where that changed something, 0 where it was so already, or <c>-errno</c>.</returns>
    internal static int SetNonBlocking(int fd, bool isNonBlocking)
    {
        const int GetFlags = 3;
        const int SetFlags = 4;
        const int NonBlocking = 0x800;
        int flags = Result(FileControlNative(fd, GetFlags, 0));
        int wanted = isNonBlocking ? flags | NonBlocking : flags & ~NonBlocking;
        if (flags < 0 || flags == wanted)
        {
            return Math.Min(flags, 0);
        }

        int result = Result(FileControlNative(fd, SetFlags, wanted));
        return result < 0 ? result : 1;
    }

    internal static int SetCloseOnExec(int fd)
    {
        const int SetDescriptorFlags = 2;
        const int CloseOnExec = 1;
        return Result(FileControlNative(fd, SetDescriptorFlags, CloseOnExec));
    }

    /// <summary>Binds the calling thread to one processor. Source: sched_setaffinity(2).</summary>
    internal static int PinThread(int processor)
    {
        const int MaxProcessors = 1024;
        if ((uint)processor >= MaxProcessors)
        {
            return -Errno.EINVAL;
        }

        ulong* mask = stackalloc ulong[MaxProcessors / 64];
        new Span<ulong>(mask, MaxProcessors / 64).Clear();
        mask[processor / 64] = 1UL << (processor % 64);
        return Result(SetAffinityNative(0, MaxProcessors / 8, mask));
    }

    /// <summary>The processors that the calling thread may run on, in ascending order; none where the kernel does not tell.</summary>
    internal static int[] AllowedProcessors()
    {
        const int MaxProcessors = 1024;
        ulong* mask = stackalloc ulong[MaxProcessors / 64];
        new Span<ulong>(mask, MaxProcessors / 64).Clear();
        if (Result(GetAffinityNative(0, MaxProcessors / 8, mask)) < 0)
        {
            return [];
        }

        var allowed = new List<int>();
        for (int processor = 0; processor < MaxProcessors; processor++)
        {
            if ((mask[processor / 64] & (1UL << (processor % 64))) != 0)
            {
                allowed.Add(processor);
            }
        }

        return [.. allowed];
    }

    internal static int GetResourceLimit(int resource, ResourceLimit* limit) => Result(GetResourceLimitNative(resource, limit));

    /// <summary>The kernel's release, such as <c>6.18.44</c>, or empty. Source: uname(2).</summary>
    internal static string KernelRelease()
    {
        // struct utsname: six names of 65 bytes, the third of which is the release.
        const int NameBytes = 65;
        const int ReleaseIndex = 2;
        byte* names = stackalloc byte[NameBytes * 6];
        return Result(NamesNative(names)) < 0 ? "" : Marshal.PtrToStringUTF8((nint)(names + (NameBytes * ReleaseIndex))) ?? "";
    }

    internal static uint EffectiveUserId() => EffectiveUserIdNative();

    private static int Result(nint returned) => returned >= 0 ? (int)returned : -Marshal.GetLastPInvokeError();

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SyscallNative(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint MapNative(nint address, nuint length, int protection, int flags, int fd, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int UnmapNative(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int CloseNative(int fd);

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    private static partial int SocketNative(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    private static partial int BindNative(int fd, byte* address, uint length);

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    private static partial int ListenNative(int fd, int backlog);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    private static partial int Accept4Native(int fd, byte* address, uint* length, int flags);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    private static partial int ShutdownNative(int fd, int how);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    private static partial int SetSocketOptionNative(int fd, int level, int option, void* value, uint length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    private static partial int GetSocketOptionNative(int fd, int level, int option, void* value, uint* length);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    private static partial int GetSocketNameNative(int fd, byte* address, uint* length);

    [LibraryImport("libc", EntryPoint = "getpeername", SetLastError = true)]
    private static partial int GetPeerNameNative(int fd, byte* address, uint* length);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    private static partial int EventDescriptorNative(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static partial nint WriteNative(int fd, void* buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static partial int ControlNative(int fd, nuint request, int* argument);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FileControlNative(int fd, int command, int argument);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinityNative(int thread, nuint size, ulong* mask);

    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    private static partial int GetAffinityNative(int thread, nuint size, ulong* mask);

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    private static partial int GetResourceLimitNative(int resource, ResourceLimit* limit);

    [LibraryImport("libc", EntryPoint = "uname", SetLastError = true)]
    private static partial int NamesNative(byte* names);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint EffectiveUserIdNative();
}
