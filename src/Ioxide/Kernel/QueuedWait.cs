using Microsoft.Win32.SafeHandles;

namespace Ioxide;

/// <summary>Waits at a handle in the place of a reactor's thread, which has its ring to turn meanwhile.</summary>
/// <remarks>
/// <para>A handle serves the threads that wait at it in their order. A thread that only looks again and again is in no queue: under contention, each
/// signal goes to another. So this one waits on a thread of its own, which the first long wait starts.</para>
/// <para>A signal counts for the thread that takes it only at a <see cref="Mutex"/>, which is given back.</para>
/// <para>Threads: one at a time, the reactor's. It waits once at a time.</para>
/// </remarks>
/// <param name="name">Of its thread.</param>
/// <param name="answered">Called on its thread when there is an answer, to wake the reactor.</param>
internal class QueuedWait(string name, Action answered) : IDisposable
{
    private readonly BorrowedHandle _handle = new();
    private readonly AutoResetEvent _begun = new(false);
    private readonly AutoResetEvent _withdrawn = new(false);
    private readonly ManualResetEvent _answered = new(false);
    private Thread? _thread;
    private bool _isSignalled;
    private bool _isDisposed;

    /// <summary>Joins the handle's queue. <see cref="Withdraw"/> ends it.</summary>
    internal virtual void Begin(nint handle)
    {
        _handle.SafeWaitHandle = new SafeWaitHandle(handle, ownsHandle: false);
        _withdrawn.Reset();
        _answered.Reset();
        if (_thread is null)
        {
            _thread = new Thread(Run) { IsBackground = true, Name = name };
            _thread.UnsafeStart();
        }

        _begun.Set();
    }

    /// <summary>Waits for the answer. Throws where the calling thread is interrupted.</summary>
    internal virtual bool IsAnswered(int timeoutMs) => _answered.WaitOne(timeoutMs);

    /// <summary>Leaves the queue.</summary>
    /// <returns>Whether it has taken a signal, which must not be lost.</returns>
    internal virtual bool Withdraw()
    {
        bool isInterrupted = false;
        _withdrawn.Set();
        while (true)
        {
            try
            {
                _answered.WaitOne();
                break;
            }
            catch (ThreadInterruptedException)
            {
                // Meant for the handler's wait: it is told below, at its next one.
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }

        return _isSignalled;
    }

    /// <summary>Ends the thread. No wait is under way.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _begun.Set();
    }

    private void Run()
    {
        WaitHandle[] handles = [_handle, _withdrawn];
        while (true)
        {
            _begun.WaitOne();
            if (_isDisposed)
            {
                _begun.Dispose();
                _withdrawn.Dispose();
                _answered.Dispose();
                _handle.Dispose();
                return;
            }

            try
            {
                _isSignalled = WaitHandle.WaitAny(handles) == 0 && !_handle.ReleaseIfMutex();
            }
            catch (AbandonedMutexException)
            {
                // With this thread's end the mutex is abandoned once more, so that the handler is told by its own wait.
                _thread = null;
                _isSignalled = false;
            }

            bool isOver = _thread is null;
            _answered.Set();
            answered();
            if (isOver)
            {
                return;
            }
        }
    }

    /// <summary>A handle of the application's: of what kind is not known.</summary>
    private sealed class BorrowedHandle : WaitHandle
    {
        private readonly Mutex _asMutex = new();

        /// <summary>Gives a mutex back that the calling thread has taken; false for any other handle.</summary>
        internal bool ReleaseIfMutex()
        {
            try
            {
                _asMutex.SafeWaitHandle = SafeWaitHandle;
                _asMutex.ReleaseMutex();
                return true;
            }
            catch (ApplicationException)
            {
                return false;
            }
        }
    }
}
