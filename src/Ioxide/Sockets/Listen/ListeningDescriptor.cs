namespace Ioxide;

/// <summary>A listening socket that its reactor accepts from and closes, and that other threads may use meanwhile.</summary>
/// <remarks>The lock guards the number against a close while another thread uses it, and the socket's mode while one accepts.</remarks>
internal sealed class ListeningDescriptor(Kernel kernel, int descriptor)
{
    private RuntimeLock _lock;
    private bool _isClosed;
    private volatile bool _isShutDown;

    /// <summary>Only for the reactor's thread, which closes it.</summary>
    internal int Number => descriptor;

    /// <summary>It listens no more: an accept in the ring ends with an error, and must not be armed again.</summary>
    internal bool IsShutDown => _isShutDown;

    /// <summary>A waiting connection, or <c>-errno</c>. Threads: any.</summary>
    internal int AcceptNow()
    {
        using HeldLock held = _lock.Hold();
        return _isClosed ? -Errno.EAGAIN : kernel.AcceptNow(descriptor, SocketConstants.CloseOnExec);
    }

    /// <summary>Stops listening; waiting connections are reset. Threads: any.</summary>
    internal void ShutDown()
    {
        using HeldLock held = _lock.Hold();
        if (!_isClosed)
        {
            _isShutDown = true;
            _ = kernel.Shutdown(descriptor, SocketConstants.ShutdownBoth);
        }
    }

    internal void Close()
    {
        using HeldLock held = _lock.Hold();
        if (!_isClosed)
        {
            _isClosed = true;
            _ = kernel.Close(descriptor);
        }
    }
}
