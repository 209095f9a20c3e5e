namespace Ioxide;

/// <summary>The counter through which other threads wake a reactor, and the reactor's poll of it.</summary>
/// <remarks>
/// <para>A multishot poll fires on each write, whatever the counter already holds. So the counter is never read: a wake-up costs
/// the producer one write and the reactor one completion. The thread that took the sleeper's flag (<see cref="WorkQueue"/>) writes at once,
/// also a reactor's: nothing else wakes the sleeper, and a turn may last long.</para>
/// <para>Threads: <see cref="Wake"/> any; <see cref="Close"/> any, once; the rest the reactor's.</para>
/// </remarks>
internal sealed unsafe class WakeTarget : ICompletionTarget
{
    private const int Closed = int.MinValue;

    private readonly Reactor _reactor;
    private readonly int _descriptor;

    // Threads inside Wake; negative once the descriptor is being closed. A thread can lose its processor in front of the write, and
    // its eight bytes must not reach what has the descriptor's number by then.
    private int _writers;
    private int _slotIndex;
    private bool _isEnding;

    /// <exception cref="RingUnavailableException">The host has no descriptor or no memory for the counter.</exception>
    internal WakeTarget(Reactor reactor)
    {
        _reactor = reactor;
        _descriptor = Ring.Check(MakeDescriptor(reactor.Kernel), "eventfd2");
    }

    /// <summary>Arms the poll, on a reactor that begins to turn.</summary>
    internal void Watch()
    {
        _slotIndex = _reactor.Operations.Add(this);
        Arm();
    }

    /// <summary>Ends the reactor's sleep. Does nothing once the counter is closed.</summary>
    internal void Wake()
    {
        if (Interlocked.Increment(ref _writers) > 0)
        {
            ulong one = 1;
            _ = _reactor.Kernel.Write(_descriptor, &one, sizeof(ulong));
        }

        Interlocked.Decrement(ref _writers);
    }

    /// <summary>Waits for threads inside <see cref="Wake"/>, then closes the descriptor.</summary>
    internal void Close()
    {
        Interlocked.Add(ref _writers, Closed);
        SpinWait spin = default;
        while (Volatile.Read(ref _writers) != Closed)
        {
            spin.SpinOnce();
        }

        _ = _reactor.Kernel.Close(_descriptor);
    }

    public string Describe() => "wake-ups by other threads";

    public void Complete(OperationKind kind, int result, uint flags)
    {
        if (kind == OperationKind.CancelWake)
        {
            _reactor.CompleteCancel(kind, OperationKind.Wake, _slotIndex, result, _reactor.Operations.InFlightOf(_slotIndex) > 0);
        }
        else if ((flags & CqeFlags.More) == 0 && !_isEnding)
        {
            Arm();
        }
    }

    public void ReactorEnded(Exception reason)
    {
        if (!_isEnding)
        {
            _isEnding = true;
            _reactor.PrepareCancel(OperationKind.CancelWake, OperationKind.Wake, _slotIndex);
        }
    }

    private void Arm()
    {
        Sqe* entry = _reactor.Prepare(OperationKind.Wake, _slotIndex);
        entry->Opcode = Opcode.PollAdd;
        entry->Descriptor = _descriptor;
        entry->OperationFlags = SocketConstants.PollIn;
        entry->Length = OperationFlags.PollMultishot;
    }

    /// <summary>Tried again, like creating a ring, where memory or the system's file table runs out temporarily.</summary>
    private static int MakeDescriptor(Kernel kernel)
    {
        int result = kernel.EventDescriptor();
        for (int attempt = 1; attempt < Ring.MemoryAttempts && (result is -Errno.ENOMEM or -Errno.ENFILE); attempt++)
        {
            kernel.Sleep(Ring.MemoryRetryMs);
            result = kernel.EventDescriptor();
        }

        return result;
    }
}
