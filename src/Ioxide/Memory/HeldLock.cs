namespace Ioxide;

/// <summary>Holds a <see cref="RuntimeLock"/> until it is disposed.</summary>
[Experimental("IOX1001")]
public readonly ref struct HeldLock : IDisposable
{
    private readonly ref RuntimeLock _gate;

    internal HeldLock(ref RuntimeLock gate)
    {
        _gate = ref gate;
        gate.Enter();
    }

    /// <summary>Releases the lock.</summary>
    public void Dispose() => _gate.Exit();
}
