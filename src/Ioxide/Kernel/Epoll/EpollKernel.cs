namespace Ioxide;

/// <summary>A kernel without io_uring: rings are memory of the process, and epoll says when what they wait for can go on.</summary>
/// <remarks>
/// <para>The reactors above it are the same. It creates rings with the layout that the queues expect; an enter takes the entries, makes
/// non-blocking calls, and posts completions. Everything that is not a ring is Linux's own.</para>
/// <para>Threads: any may create and close rings; a ring belongs to the thread that enters it. Not sealed: tests replace single calls.</para>
/// </remarks>
internal unsafe class EpollKernel : Kernel
{
    private readonly Lock _lock = new();
    private EpollRing?[] _rings = [];

    internal override KernelChoice Choice => KernelChoice.Epoll;

    internal override string SetupCall => "epoll_create1";

    internal override int RingSetup(uint entries, RingParams* parameters)
    {
        if (entries == 0)
        {
            return -Errno.EINVAL;
        }

        int descriptor = EpollCalls.Create();
        if (descriptor < 0)
        {
            return descriptor;
        }

        EpollRing.Layout(entries, parameters);
        var ring = new EpollRing(this, descriptor, *parameters);
        lock (_lock)
        {
            EpollRing?[] rings = _rings;
            if (rings.Length <= descriptor)
            {
                Array.Resize(ref rings, Math.Max(descriptor + 1, rings.Length * 2));
            }

            Volatile.Write(ref rings[descriptor], ring);
            Volatile.Write(ref _rings, rings);
        }

        return descriptor;
    }

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        => Find(fd) is { } ring ? ring.Enter(toSubmit, minComplete, flags, (GetEventsArgument*)argument) : -Errno.EBADF;

    internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        => Find(fd) is { } ring ? ring.Register(opcode, argument) : -Errno.EBADF;

    internal override void* Map(nuint length, int protection, int flags, int fd, long offset, out int error)
    {
        if (Find(fd) is not { } ring)
        {
            return base.Map(length, protection, flags, fd, offset, out error);
        }

        const int Own = Sys.MapPrivate | Sys.MapAnonymous | Sys.MapPopulate;
        void* memory = base.Map(length, protection, Own, fd: -1, offset: 0, out error);
        if (memory is not null)
        {
            ring.SetMemory((byte*)memory, isQueues: offset == 0);
        }

        return memory;
    }

    internal override int Close(int fd)
    {
        EpollRing? ring;
        lock (_lock)
        {
            ring = Find(fd);
            if (ring is not null)
            {
                _rings[fd] = null;
            }
        }

        if (ring is null)
        {
            return base.Close(fd);
        }

        ring.Close();
        return 0;
    }

    /// <summary>Closes a number that is no ring of this kernel.</summary>
    internal int CloseNumber(int fd) => base.Close(fd);

    private EpollRing? Find(int fd)
    {
        EpollRing?[] rings = Volatile.Read(ref _rings);
        return (uint)fd < (uint)rings.Length ? Volatile.Read(ref rings[fd]) : null;
    }
}
