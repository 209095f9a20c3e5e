namespace Ioxide;

/// <summary>The system calls that another kernel may answer. Each returns a value of 0 or above, or <c>-errno</c>.</summary>
internal unsafe partial class Kernel
{
    /// <summary>Creates a ring. Source: io_uring_setup(2), Linux 5.1.</summary>
    internal virtual int RingSetup(uint entries, RingParams* parameters)
        => Sys.Call(CallNumber.RingSetup, (nint)entries, (nint)parameters);

    /// <summary>Submits and waits. EINTR is returned: the loop looks at its queues before it waits again.</summary>
    /// <remarks>Source: io_uring_enter(2). A normal transition: a collection proceeds while the reactor sleeps.</remarks>
    internal virtual int RingEnter(
        int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        => Sys.Call(
            CallNumber.RingEnter, fd, (nint)toSubmit, (nint)minComplete, (nint)(uint)flags, (nint)argument, (nint)argumentSize);

    /// <summary>Registers something with a ring. Source: io_uring_register(2).</summary>
    internal virtual int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        => Sys.CallUninterrupted(CallNumber.RingRegister, fd, (nint)(uint)opcode, (nint)argument, (nint)count);

    /// <summary>Maps memory; null and <paramref name="error"/> (positive errno) if refused. Source: mmap(2).</summary>
    internal virtual void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
        => Sys.CallForAddress(CallNumber.Map, 0, (nint)length, protection, flags, fd, (nint)offset, out error);

    internal virtual int Unmap(void* address, nuint length) => Sys.Call(CallNumber.Unmap, (nint)address, (nint)length);

    internal virtual int Close(int fd) => Sys.Call(CallNumber.Close, fd);

    internal virtual int Socket(int family, int type, int protocol) => Sys.Call(CallNumber.Socket, family, type, protocol);

    internal virtual int Bind(int fd, byte* address, uint length) => Sys.Call(CallNumber.Bind, fd, (nint)address, (nint)length);

    internal virtual int Listen(int fd, int backlog) => Sys.Call(CallNumber.Listen, fd, backlog);

    /// <summary>Accepts one connection without an address. Only on non-blocking listeners. Source: accept4(2).</summary>
    internal virtual int Accept(int fd, int flags) => Sys.CallUninterrupted(CallNumber.Accept, fd, 0, 0, flags);

    /// <summary>Accepts a waiting connection, or returns <c>-EAGAIN</c>, and leaves the listener's mode as it was.</summary>
    /// <remarks>Threads: one at a time per listener; the mode is the open file's.</remarks>
    internal int AcceptNow(int fd, int flags)
    {
        int changed = SetNonBlocking(fd, isNonBlocking: true);
        if (changed < 0)
        {
            return changed;
        }

        int accepted = Accept(fd, flags);
        if (changed > 0)
        {
            _ = SetNonBlocking(fd, isNonBlocking: false);
        }

        return accepted;
    }

    internal virtual int Shutdown(int fd, int how) => Sys.Call(CallNumber.Shutdown, fd, how);

    internal int SetSocketOption(int fd, int level, int option, int value)
        => SetSocketOption(fd, level, option, &value, sizeof(int));

    internal virtual int SetSocketOption(int fd, int level, int option, void* value, uint length)
        => Sys.Call(CallNumber.SetSocketOption, fd, level, option, (nint)value, (nint)length);

    internal virtual int GetSocketOption(int fd, int level, int option, void* value, uint* length)
        => Sys.Call(CallNumber.GetSocketOption, fd, level, option, (nint)value, (nint)length);

    internal virtual int GetSocketName(int fd, byte* address, uint* length)
        => Sys.Call(CallNumber.GetSocketName, fd, (nint)address, (nint)length);

    internal virtual int GetPeerName(int fd, byte* address, uint* length)
        => Sys.Call(CallNumber.GetPeerName, fd, (nint)address, (nint)length);

    /// <summary>A counter that wakes a reactor, close-on-exec and non-blocking. Source: eventfd(2).</summary>
    internal virtual int EventDescriptor()
        => Sys.Call(CallNumber.EventDescriptor, 0, (nint)(FileConstants.OpenCloseOnExec | FileConstants.OpenNonBlocking));

    internal virtual int Write(int fd, void* buffer, nuint length)
        => Sys.CallUninterrupted(CallNumber.Write, fd, (nint)buffer, (nint)length);

    /// <summary>Sends as much as fits. Source: send(2).</summary>
    internal virtual int Send(int fd, void* buffer, nuint length, uint flags)
        => Sys.CallUninterrupted(CallNumber.Send, fd, (nint)buffer, (nint)length, (nint)flags);

    /// <summary>The pipe that <see cref="SendPages"/> needs; null where the kernel refuses one of its calls.</summary>
    internal virtual PagePipe? OpenPagePipe(out CallRefusal refusal) => PagePipe.TryOpen(out refusal);

    internal virtual int SendPages(PagePipe pipe, int fd, void* memory, nuint length) => pipe.Send(fd, (byte*)memory, length);

    /// <summary>Bytes that wait in a socket (FIONREAD, tcp(7)).</summary>
    internal virtual int BytesAvailable(int fd)
    {
        const int BytesToRead = 0x541B;
        int count = 0;
        int result = Sys.Call(CallNumber.Control, fd, BytesToRead, (nint)(&count));
        return result < 0 ? result : count;
    }

    /// <summary>A second descriptor for the same file, close-on-exec.</summary>
    internal virtual int Duplicate(int fd)
    {
        const int DuplicateCloseOnExec = 1030;
        return Sys.Call(CallNumber.FileControl, fd, DuplicateCloseOnExec, 0);
    }

    /// <summary>Makes calls on an open file non-blocking or blocking. The mode applies to its duplicates too.</summary>
    /// <returns>1 if that changed the mode, 0 if not, or <c>-errno</c>.</returns>
    internal virtual int SetNonBlocking(int fd, bool isNonBlocking)
    {
        const int GetFlags = 3;
        const int SetFlags = 4;
        const int NonBlocking = 0x800;
        int flags = Sys.Call(CallNumber.FileControl, fd, GetFlags);
        int wanted = isNonBlocking ? flags | NonBlocking : flags & ~NonBlocking;
        if (flags < 0 || flags == wanted)
        {
            return Math.Min(flags, 0);
        }

        int result = Sys.Call(CallNumber.FileControl, fd, SetFlags, wanted);
        return result < 0 ? result : 1;
    }

    internal virtual int SetCloseOnExec(int fd)
    {
        const int SetDescriptorFlags = 2;
        const int CloseOnExec = 1;
        return Sys.Call(CallNumber.FileControl, fd, SetDescriptorFlags, CloseOnExec);
    }

    /// <summary>Descriptors that the process has open, or <c>-errno</c>.</summary>
    /// <remarks>Source: proc_pid_fd(5). The length of that folder is their count from Linux 6.2 on.</remarks>
    internal virtual int CountDescriptors()
    {
        FileStatus status = default;
        int result;
        fixed (byte* path = "/proc/self/fd\0"u8)
        {
            result = Sys.StatusAt(FileConstants.CurrentDirectory, path, flags: 0, &status);
        }

        return result < 0 ? result : status.Length == 0 ? -Errno.ENOSYS : (int)status.Length;
    }

    /// <summary>Source: getrlimit(2).</summary>
    internal virtual int GetResourceLimit(int resource, ResourceLimit* limit)
        => Sys.Call(CallNumber.ResourceLimit, 0, resource, 0, (nint)limit);
}
