namespace Ioxide.AspNetCore.Tests;

/// <summary>Linux, until the ring of reactor 0 is broken: then entering it fails.</summary>
internal sealed unsafe class BrokenKernel : Kernel
{
    private bool _isBroken;

    internal void Break() => Volatile.Write(ref _isBroken, true);

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
        => Volatile.Read(ref _isBroken) && Reactor.Current is { Id: 0 }
            ? -Errno.EBADF
            : base.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);
}
