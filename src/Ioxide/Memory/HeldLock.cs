namespace Ioxide;

/// <summary>Holds a <see cref="RuntimeLock"/> until it is disposed.</summary>
internal readonly ref struct HeldLock : IDisposable
{
    private readonly ref RuntimeLock _gate;

    internal HeldLock(ref RuntimeLock gate)
    {
        _gate = ref gate;
        gate.Enter();
    }

    public void Dispose() => _gate.Exit();
}
