namespace Ioxide;

/// <summary>The system calls by which rings are played. Each returns a value of 0 or above, or <c>-errno</c>; none waits but the last.</summary>
internal static unsafe class EpollCalls
{
    internal const uint In = 1;
    internal const uint Urgent = 2;
    internal const uint Out = 4;
    internal const uint Error = 8;
    internal const uint HangUp = 0x10;
    internal const uint PeerFinished = 0x2000;
    internal const uint EdgeTriggered = 1u << 31;

    internal const int Add = 1;
    internal const int Modify = 3;

    /// <summary>Bytes of a <c>struct epoll_event</c>: x86-64 packs it.</summary>
    internal static readonly int EventBytes = CallNumber.IsX64 ? 12 : 16;

    private static readonly int s_dataOffset = CallNumber.IsX64 ? 4 : 8;

    private static bool s_hasPreciseWait = true;

    /// <summary>Source: epoll_create1(2), Linux 2.6.27.</summary>
    internal static int Create() => Sys.Call(CallNumber.EpollCreate, (nint)FileConstants.OpenCloseOnExec);

    /// <summary>Source: epoll_ctl(2).</summary>
    internal static int Control(int epoll, int operation, int fd, uint events) => Control(epoll, operation, fd, events, fd);

    /// <summary>As above, where the events name something else than the descriptor.</summary>
    internal static int Control(int epoll, int operation, int fd, uint events, int data)
    {
        byte* item = stackalloc byte[16];
        *(uint*)item = events;
        *(int*)(item + s_dataOffset) = data;
        return Sys.Call(CallNumber.EpollControl, epoll, operation, fd, (nint)item);
    }

    /// <summary>What happened, and where, of the event at this address.</summary>
    internal static uint EventsOf(byte* item, out int fd)
    {
        fd = *(int*)(item + s_dataOffset);
        return *(uint*)item;
    }

    /// <summary>Waits for events. Source: epoll_pwait2(2), Linux 5.11; epoll_pwait(2) with a limit in milliseconds before.</summary>
    /// <remarks>A negative time means no limit.</remarks>
    internal static int Wait(int epoll, byte* events, int count, long timeoutNs)
    {
        const long NanosecondsPerSecond = 1_000_000_000;
        const long NanosecondsPerMillisecond = 1_000_000;
        if (timeoutNs > 0 && Volatile.Read(ref s_hasPreciseWait))
        {
            KernelTimespec limit = new()
            {
                Seconds = timeoutNs / NanosecondsPerSecond,
                Nanoseconds = timeoutNs % NanosecondsPerSecond,
            };
            int result = Sys.Call(CallNumber.EpollWaitPrecisely, epoll, (nint)events, count, (nint)(&limit));
            if (result is not (-Errno.ENOSYS or -Errno.EPERM))
            {
                return result;
            }

            Volatile.Write(ref s_hasPreciseWait, false);
        }

        long roundedMs = (timeoutNs / NanosecondsPerMillisecond) + (timeoutNs % NanosecondsPerMillisecond > 0 ? 1 : 0);
        int timeoutMs = timeoutNs < 0 ? -1 : (int)Math.Min(roundedMs, int.MaxValue);
        return Sys.Call(CallNumber.EpollWait, epoll, (nint)events, count, timeoutMs);
    }

    internal static int Receive(int fd, ulong memory, uint length, uint flags)
        => Sys.CallUninterrupted(
            CallNumber.Receive, fd, (nint)memory, (nint)length, (nint)(flags | SocketConstants.MessageDoNotWait));

    internal static int SendMessage(int fd, MessageHeader* header, uint flags)
        => Sys.CallUninterrupted(CallNumber.SendMessage, fd, (nint)header, (nint)(flags | SocketConstants.MessageDoNotWait));

    /// <summary>Begins or asks about a connect; the socket is non-blocking.</summary>
    internal static int Connect(int fd, ulong address, ulong length)
        => Sys.CallUninterrupted(CallNumber.Connect, fd, (nint)address, (nint)length);

    /// <summary>Whether a connection waits on a listener, or bytes in a stream. Source: ppoll(2).</summary>
    internal static bool IsReadable(int fd)
    {
        ulong item = (uint)fd | ((ulong)In << 32);
        KernelTimespec atOnce = default;
        return Sys.CallUninterrupted(CallNumber.Poll, (nint)(&item), 1, (nint)(&atOnce), 0) != 0;
    }

    /// <summary>Whether calls on the open file return instead of waiting.</summary>
    internal static bool IsNonBlocking(int fd)
    {
        const int GetFlags = 3;
        int flags = Sys.Call(CallNumber.FileControl, fd, GetFlags);
        return flags < 0 || (flags & SocketConstants.NonBlocking) != 0;
    }

    /// <summary>Whether a receive that got less than it asked for has emptied the socket: TCP without records made by the kernel.</summary>
    /// <remarks>A unix socket stops where credentials or descriptors change, a TLS socket where the type of the record does.</remarks>
    internal static bool IsPlainTcp(int fd)
    {
        ulong name = 0;
        uint length = sizeof(ulong);
        int result = Sys.Call(
            CallNumber.GetSocketOption, fd, SocketConstants.LevelTcp, SocketConstants.OptionUpperLayer, (nint)(&name), (nint)(&length));
        return result == 0 && name == 0;
    }

    /// <summary>Reads what lies in memory. Source: preadv2(2) with RWF_NOWAIT, Linux 4.14.</summary>
    internal static int ReadAtOnce(int fd, ulong memory, uint length, ulong offset)
    {
        const int NoWait = 8;
        IoVector vector = new() { Base = memory, Length = length };
        return Sys.CallUninterrupted(CallNumber.ReadVectors, fd, (nint)(&vector), 1, (nint)offset, 0, NoWait);
    }

    /// <summary>Reads from a stream, which has no place to read at. Source: read(2).</summary>
    internal static int ReadStream(int fd, ulong memory, uint length)
        => Sys.CallUninterrupted(CallNumber.Read, fd, (nint)memory, (nint)length);

    /// <summary>Reads a file, and waits for its disk. Source: pread(2).</summary>
    internal static int Read(int fd, ulong memory, uint length, ulong offset)
        => Sys.CallUninterrupted(CallNumber.ReadAt, fd, (nint)memory, (nint)length, (nint)offset);
}
