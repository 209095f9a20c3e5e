namespace Ioxide;

/// <summary>Watches the counter through which other threads wake a reactor.</summary>
/// <remarks>
/// A multishot poll fires on each write, whatever the counter already holds. So the counter is never read: a wake-up costs
/// the producer one write and the reactor one completion.
/// </remarks>
internal sealed unsafe class WakeTarget : ICompletionTarget
{
    private readonly Reactor _reactor;
    private readonly int _eventDescriptor;
    private bool _isEnding;

    internal WakeTarget(Reactor reactor, int eventDescriptor)
    {
        _reactor = reactor;
        _eventDescriptor = eventDescriptor;
        SlotIndex = reactor.Operations.Add(this);
        Arm();
    }

    internal int SlotIndex { get; }

    public void Complete(OperationKind kind, int result, uint flags)
    {
        if (kind == OperationKind.Wake && (flags & CqeFlags.More) == 0 && !_isEnding)
        {
            Arm();
        }
        else if (kind == OperationKind.WakeOther && result < 0 && !_isEnding)
        {
            // The target of the wake-up counts as awake now, and no other thread will wake it. The completion does not name the target.
            foreach (Reactor other in _reactor.Group.Reactors.Where(other => other != _reactor))
            {
                other.WakeByCounter();
            }
        }
    }

    public void ReactorEnded(Exception reason)
    {
        if (!_isEnding)
        {
            _isEnding = true;
            _reactor.PrepareCancel(OperationKind.WakeOther, OperationKind.Wake, SlotIndex);
        }
    }

    private void Arm()
    {
        Sqe* entry = _reactor.Prepare(OperationKind.Wake, SlotIndex);
        entry->Opcode = Opcode.PollAdd;
        entry->Descriptor = _eventDescriptor;
        entry->OperationFlags = SocketConstants.PollIn;
        entry->Length = OperationFlags.PollMultishot;
    }
}
