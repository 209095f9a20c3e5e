namespace Ioxide.TestKit;

/// <summary>A kernel whose rings fail from a moment on that the test chooses: entering one gives EBADF.</summary>
internal sealed unsafe class BreakingKernel(FaultRates? rates = null) : FaultyKernel(1, rates ?? new FaultRates())
{
    private Action? _last;
    private Reactor? _only;

    /// <summary>Runs after a descriptor is closed.</summary>
    internal Action<int>? Closed { get; set; }

    /// <summary>From the next enter on, all fail.</summary>
    /// <param name="last">Runs on the reactor's thread, before the first that fails.</param>
    /// <param name="only">The reactor whose ring fails; null is all of them.</param>
    internal void Break(Action? last = null, Reactor? only = null)
    {
        _only = only;
        Volatile.Write(ref _last, last ?? (static () => { }));
    }

    internal override int RingEnter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* argument, nuint argumentSize)
    {
        if (Volatile.Read(ref _last) is not { } last || (_only is { } only && !ReferenceEquals(Reactor.Current, only)))
        {
            return base.RingEnter(fd, toSubmit, minComplete, flags, argument, argumentSize);
        }

        last();
        return -Errno.EBADF;
    }

    internal override int Close(int fd)
    {
        int result = base.Close(fd);
        Closed?.Invoke(fd);
        return result;
    }
}
