namespace Ioxide;

/// <summary>A lock for a few instructions, shared by reactors and other threads.</summary>
/// <remarks>
/// <para>A contended <see cref="Lock"/> or monitor is a managed wait. On a reactor a managed wait turns the ring
/// (<see cref="Reactor.SynchronizationContext"/>), and code with half-changed reactor state must not be re-entered. This lock
/// spins and yields; it never enters a managed wait. It is not re-entrant.</para>
/// <para>A mutable struct: keep it in a field that is not read-only, and never copy it. Threads: any.</para>
/// </remarks>
[Experimental("IOX1001")]
public struct RuntimeLock
{
    private int _isTaken;

    /// <summary>Holds the lock until the result is disposed.</summary>
    [UnscopedRef]
    public HeldLock Hold() => new(ref this);

    /// <summary>Takes the lock, and spins until it is free.</summary>
    public void Enter()
    {
        if (Interlocked.CompareExchange(ref _isTaken, 1, 0) != 0)
        {
            EnterContended();
        }
    }

    /// <summary>Releases the lock, which the caller holds.</summary>
    public void Exit()
    {
        Debug.Assert(_isTaken == 1);
        Volatile.Write(ref _isTaken, 0);
    }

    private void EnterContended()
    {
        SpinWait spin = default;
        do
        {
            // Sleeps last, in case the holder lost its processor. Thread.Sleep is not a managed wait.
            spin.SpinOnce();
        }
        while (Volatile.Read(ref _isTaken) != 0 || Interlocked.CompareExchange(ref _isTaken, 1, 0) != 0);
    }
}
