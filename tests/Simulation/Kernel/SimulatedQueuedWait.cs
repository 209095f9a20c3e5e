namespace Ioxide.Simulation;

/// <summary>A thread that waits at a handle for the reactor, played: it takes the signal when the reactor looks for its answer, or late.</summary>
internal sealed class SimulatedQueuedWait(SimulatedKernel kernel, Dice dice) : QueuedWait("simulated", static () => { })
{
    private nint _handle;
    private bool _isAnswered;
    private bool _isSignalled;

    internal override void Begin(nint handle)
    {
        _handle = handle;
        _isAnswered = false;
        _isSignalled = false;
    }

    internal override bool IsAnswered(int timeoutMs)
    {
        if (!_isAnswered && (timeoutMs != 0 || !dice.Chance(300)))
        {
            _isAnswered = kernel.WaitHandles([_handle], waitAll: false, timeoutMs) == 0;

            // Now and then the handle is one that serves only the thread that waits for it.
            _isSignalled = _isAnswered && !dice.Chance(100);
        }

        return _isAnswered;
    }

    internal override bool Withdraw() => _isSignalled;
}
