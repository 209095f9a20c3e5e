using System.Reflection;

namespace Ioxide;

/// <summary>Linux error numbers (asm-generic/errno.h; the same on x64 and arm64), and their .NET exceptions.</summary>
internal static class Errno
{
    internal const int EPERM = 1;
    internal const int ENOENT = 2;
    internal const int EINTR = 4;
    internal const int EIO = 5;
    internal const int ENXIO = 6;
    internal const int EBADF = 9;
    internal const int EAGAIN = 11;
    internal const int ENOMEM = 12;
    internal const int EACCES = 13;
    internal const int EFAULT = 14;
    internal const int EBUSY = 16;
    internal const int EEXIST = 17;
    internal const int EXDEV = 18;
    internal const int ENOTDIR = 20;
    internal const int EINVAL = 22;
    internal const int ENFILE = 23;
    internal const int EMFILE = 24;
    internal const int ENOSPC = 28;
    internal const int ESPIPE = 29;
    internal const int EPIPE = 32;
    internal const int ENAMETOOLONG = 36;
    internal const int ENOSYS = 38;
    internal const int ELOOP = 40;
    internal const int ETIME = 62;
    internal const int EOPNOTSUPP = 95;
    internal const int EADDRINUSE = 98;
    internal const int EADDRNOTAVAIL = 99;
    internal const int ENETDOWN = 100;
    internal const int ENETUNREACH = 101;
    internal const int ECONNABORTED = 103;
    internal const int ECONNRESET = 104;
    internal const int ENOBUFS = 105;
    internal const int EISCONN = 106;
    internal const int ENOTCONN = 107;
    internal const int ETIMEDOUT = 110;
    internal const int ECONNREFUSED = 111;
    internal const int EHOSTUNREACH = 113;
    internal const int EALREADY = 114;
    internal const int EINPROGRESS = 115;
    internal const int ECANCELED = 125;

    /// <summary>The symbol, such as <c>ECONNRESET</c>, or <c>errno N</c> for a number without a name here.</summary>
    internal static string Name(int errno)
    {
        // No query: its assembly would be loaded here, perhaps for want of a descriptor.
        foreach (FieldInfo constant in typeof(Errno).GetFields(BindingFlags.Static | BindingFlags.NonPublic))
        {
            if (Equals(constant.GetRawConstantValue(), errno))
            {
                return constant.Name;
            }
        }

        return $"errno {errno}";
    }

    /// <summary>
    /// Whether an accept failed for one connection only, so that the next may succeed at once. Other failures
    /// last: no descriptors, no memory, a listener that was shut down. Source: accept(2).
    /// </summary>
    internal static bool IsOfOneConnection(int errno)
    {
        const int ENONET = 64;
        const int EPROTO = 71;
        const int ENOPROTOOPT = 92;
        const int EHOSTDOWN = 112;
        return errno is EINTR or EAGAIN or ECANCELED or ECONNABORTED or ENETDOWN or EPROTO or ENOPROTOOPT or EHOSTDOWN or ENONET
            or EHOSTUNREACH or EOPNOTSUPP or ENETUNREACH;
    }

    /// <summary>The framework's own exception for a socket error: its code, number and text.</summary>
    internal static SocketException ToSocketException(int errno) => new((int)ToSocketError(errno));

    /// <summary>A <see cref="SocketException"/> for a socket call, an <see cref="IOException"/> for any other.</summary>
    /// <param name="errno">The positive error number.</param>
    /// <param name="operation">What was tried, worded to follow "could not".</param>
    internal static SocketException ToSocketException(int errno, string operation)
        => new((int)ToSocketError(errno), $"Could not {operation}: {Marshal.GetPInvokeErrorMessage(errno)} ({Name(errno)}).");

    /// <summary>The result of a socket call, where it is none of an error.</summary>
    /// <exception cref="SocketException">It is <c>-errno</c>.</exception>
    internal static int Check(int result, string operation) => result >= 0 ? result : throw ToSocketException(-result, operation);

    internal static IOException ToIOException(int errno, string operation)
        => new($"Could not {operation}: {Name(errno)}.", errno);

    private static SocketError ToSocketError(int errno) => errno switch
    {
        EACCES or EPERM => SocketError.AccessDenied,
        EADDRINUSE => SocketError.AddressAlreadyInUse,
        EADDRNOTAVAIL => SocketError.AddressNotAvailable,
        ECANCELED => SocketError.OperationAborted,
        ECONNABORTED => SocketError.ConnectionAborted,
        ECONNREFUSED => SocketError.ConnectionRefused,
        ECONNRESET => SocketError.ConnectionReset,
        EHOSTUNREACH => SocketError.HostUnreachable,
        EMFILE or ENFILE => SocketError.TooManyOpenSockets,
        ENETDOWN => SocketError.NetworkDown,
        ENETUNREACH => SocketError.NetworkUnreachable,
        ENOBUFS or ENOMEM => SocketError.NoBufferSpaceAvailable,
        ENOENT => SocketError.AddressNotAvailable,
        ENOTCONN => SocketError.NotConnected,
        EOPNOTSUPP => SocketError.OperationNotSupported,
        EPIPE => SocketError.Shutdown,
        ETIMEDOUT or ETIME => SocketError.TimedOut,
        EINVAL => SocketError.InvalidArgument,
        _ => SocketError.SocketError,
    };
}
