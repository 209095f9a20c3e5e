using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>Submits NOPs on a reactor and counts their completions.</summary>
internal sealed class CountingTarget : ICompletionTarget
{
    private readonly TaskCompletionSource _reached = Waits.Signal();
    private int _wanted = int.MaxValue;
    private int _completed;

    internal int SlotIndex { get; private set; } = -1;

    /// <summary>Threads: the reactor's.</summary>
    internal unsafe void Submit(Reactor reactor, int count)
    {
        if (SlotIndex < 0)
        {
            SlotIndex = reactor.Operations.Add(this);
        }

        for (int index = 0; index < count; index++)
        {
            reactor.Prepare(OperationKind.Nop, SlotIndex)->Opcode = Opcode.Nop;
        }
    }

    /// <summary>Completes when so many completions came.</summary>
    internal Task Reached(int count)
    {
        Interlocked.Exchange(ref _wanted, count);
        Check();
        return _reached.Task;
    }

    public void Complete(OperationKind kind, int result, uint flags)
    {
        Assert.Equal((OperationKind.Nop, 0), (kind, result));
        Interlocked.Increment(ref _completed);
        Check();
    }

    public void ReactorEnded(Exception reason)
    {
    }

    private void Check()
    {
        if (Volatile.Read(ref _completed) >= Volatile.Read(ref _wanted))
        {
            _reached.TrySetResult();
        }
    }
}
