using System.Runtime.InteropServices;

namespace Ioxide.BlockedHost;

/// <summary>A system call, or one use of it, that a filter refuses.</summary>
/// <param name="Number">Of this machine's architecture.</param>
/// <param name="Arguments">What arguments must be for the call to be refused; none refuses it always.</param>
internal sealed record RefusedCall(uint Number, params (int Index, uint Value)[] Arguments)
{
    // Register opcodes of linux/io_uring.h, commands and options of fcntl.h, tcp.h and tls.h.
    private static readonly Dictionary<string, RefusedCall> s_calls = new()
    {
        ["io_uring_setup"] = new(425),
        ["io_uring_enter"] = new(426),
        ["io_uring_register"] = new(427),
        ["io_uring_register:probe"] = new(427, (1, 8)),
        ["io_uring_register:restrictions"] = new(427, (1, 11)),
        ["io_uring_register:enable"] = new(427, (1, 12)),
        ["io_uring_register:ring_fds"] = new(427, (1, 20)),
        ["io_uring_register:buffer_ring"] = new(427, (1, 22)),
        ["mmap:ring"] = new(Of(9, 222), (3, 0x8001)),
        ["epoll_pwait2"] = new(441),
        ["preadv2"] = new(Of(327, 286)),
        ["eventfd2"] = new(Of(290, 19)),
        ["vmsplice"] = new(Of(278, 75)),
        ["splice"] = new(Of(275, 76)),
        ["pipe2"] = new(Of(293, 59)),
        ["fcntl:pipe_size"] = new(Of(72, 25), (1, 1031)),
        ["fcntl:duplicate"] = new(Of(72, 25), (1, 1030)),
        ["openat2"] = new(437),
        ["statx"] = new(Of(332, 291)),
        ["inotify_init1"] = new(Of(294, 26)),
        ["inotify_add_watch"] = new(Of(254, 27)),
        ["madvise"] = new(Of(28, 233)),
        ["mprotect"] = new(Of(10, 226)),
        ["sched_setaffinity"] = new(Of(203, 122)),
        ["sched_getaffinity"] = new(Of(204, 123)),
        ["prlimit64"] = new(Of(302, 261)),
        ["socket"] = new(Of(41, 198)),
        ["bind"] = new(Of(49, 200)),
        ["listen"] = new(Of(50, 201)),
        ["accept4"] = new(Of(288, 242)),
        ["getsockname"] = new(Of(51, 204)),
        ["getpeername"] = new(Of(52, 205)),
        ["getsockopt"] = new(Of(55, 209)),
        ["setsockopt"] = new(Of(54, 208)),
        ["setsockopt:reuseaddr"] = new(Of(54, 208), (1, 1), (2, 2)),
        ["setsockopt:reuseport"] = new(Of(54, 208), (1, 1), (2, 15)),
        ["setsockopt:linger"] = new(Of(54, 208), (1, 1), (2, 13)),
        ["setsockopt:nodelay"] = new(Of(54, 208), (1, 6), (2, 1)),
        ["setsockopt:ulp"] = new(Of(54, 208), (1, 6), (2, 31)),
        ["setsockopt:tls"] = new(Of(54, 208), (1, 282)),
        ["shutdown"] = new(Of(48, 210)),
        ["sendto"] = new(Of(44, 206)),
        ["ioctl:bytes"] = new(Of(16, 29), (1, 0x541B)),
        ["geteuid"] = new(Of(107, 175)),
        ["write"] = new(Of(1, 64)),
    };

    internal static RefusedCall Named(string name) => s_calls[name];

    private static uint Of(uint x64, uint arm64) => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? arm64 : x64;
}
