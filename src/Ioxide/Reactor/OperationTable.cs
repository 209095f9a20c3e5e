using System.Globalization;
using System.Text;

namespace Ioxide;

/// <summary>The slots behind every <c>user_data</c>, with each slot's number of operations in flight.</summary>
/// <remarks>
/// A target keeps its slot until its last operation had its last completion; returning the slot earlier ends the
/// process. So a completion always reaches its own target, and the count at rest is 0. Threads: the reactor's.
/// </remarks>
/// <param name="kernel">Notified when an invariant is broken; null for Linux.</param>
internal sealed class OperationTable(Kernel? kernel = null)
{
    private const int InitialSlots = 256;

    private readonly Kernel _kernel = kernel ?? Kernel.Linux;
    private Slot[] _slots = new Slot[InitialSlots];
    private int[] _free = new int[InitialSlots];
    private int _freeCount;
    private int _used;

    /// <summary>The most slots at once. Tests set it.</summary>
    internal int MaxSlots { get; set; } = OperationId.MaxSlots;

    /// <summary>Operations that still await their last completion.</summary>
    internal int InFlight { get; private set; }

    /// <summary>Slots that have a target.</summary>
    internal int Count => _used - _freeCount;

    /// <summary>Every target that holds a slot now.</summary>
    internal IEnumerable<ICompletionTarget> Targets
        => _slots.Select(slot => slot.Target).OfType<ICompletionTarget>().ToArray();

    /// <summary>Slots ever used: no target has this index or a higher one.</summary>
    internal int UsedSlots => _used;

    /// <summary>The slot's current target, or null.</summary>
    internal ICompletionTarget? TargetOf(int slotIndex) => _slots[slotIndex].Target;

    /// <summary>Assigns a slot to the target.</summary>
    internal int Add(ICompletionTarget target)
    {
        int index;
        if (_freeCount > 0)
        {
            // The last one given back, which is the likeliest in the processor's cache.
            index = _free[--_freeCount];
        }
        else
        {
            if (_used >= MaxSlots)
            {
                throw new InvalidOperationException($"A reactor has room for {MaxSlots} connections and operations.");
            }

            if (_used == _slots.Length)
            {
                Array.Resize(ref _slots, _slots.Length * 2);
                _free = new int[_slots.Length];
            }

            index = _used++;
        }

        Debug.Assert(_slots[index].Target is null);
        _slots[index].Target = target;
        return index;
    }

    /// <summary>Releases the slot. The target has nothing in flight.</summary>
    internal void Remove(int slotIndex)
    {
        ref Slot slot = ref _slots[slotIndex];
        if (slot.InFlight != 0 || slot.Target is null)
        {
            _kernel.Fail($"slot {slotIndex} was given back with {slot.InFlight} operations in flight", Describe(slotIndex));
        }

        slot.Target = null;
        slot.Generation++;
        _free[_freeCount++] = slotIndex;
    }

    /// <summary>Counts one more operation and returns its id.</summary>
    internal OperationId Begin(OperationKind kind, int slotIndex)
    {
        ref Slot slot = ref _slots[slotIndex];
        Debug.Assert(slot.Target is not null);
        slot.InFlight++;
        InFlight++;
        return new OperationId(kind, slotIndex, slot.Generation);
    }

    /// <summary>The id of an operation in flight, to cancel it.</summary>
    internal OperationId NameOf(OperationKind kind, int slotIndex) => new(kind, slotIndex, _slots[slotIndex].Generation);

    /// <summary>The target of a completion. A completion without MORE ends its operation.</summary>
    internal ICompletionTarget End(OperationId id, uint flags)
    {
        int index = id.SlotIndex;
        if (index >= _used || _slots[index].Generation != id.Generation || _slots[index].InFlight == 0)
        {
            _kernel.Fail($"a completion names an operation that is not in flight ({id})", Describe(index));
        }

        ref Slot slot = ref _slots[index];
        if ((flags & CqeFlags.More) == 0)
        {
            slot.InFlight--;
            InFlight--;
        }

        return slot.Target!;
    }

    internal int InFlightOf(int slotIndex) => _slots[slotIndex].InFlight;

    /// <summary>One slot in one line.</summary>
    internal string Describe(int slotIndex) => slotIndex >= _used ? $"slot {slotIndex}: never used" : DescribeUsed(slotIndex);

    /// <summary>A line for each slot that has a target, up to a number of lines, and how many were left out.</summary>
    internal void Describe(StringBuilder text, int most)
    {
        int described = 0;
        for (int index = 0; index < _used && described < most; index++)
        {
            if (_slots[index].Target is not null)
            {
                described++;
                text.Append("  ").Append(DescribeUsed(index)).Append('\n');
            }
        }

        if (described < Count)
        {
            text.Append(CultureInfo.InvariantCulture, $"  {Count - described} more are left out\n");
        }
    }

    private string DescribeUsed(int slotIndex)
    {
        ref Slot slot = ref _slots[slotIndex];
        return $"slot {slotIndex}: {slot.Target?.Describe() ?? "free"}; {slot.InFlight} in flight, generation {slot.Generation}";
    }

    private struct Slot
    {
        internal ICompletionTarget? Target;
        internal uint Generation;
        internal int InFlight;
    }
}
