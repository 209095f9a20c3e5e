using System.Numerics;

namespace Ioxide;

/// <summary>One deadline. The object is reused: it is in the wheel at most once.</summary>
internal abstract class TimerEntry
{
    internal TimerEntry? Previous { get; set; }

    internal TimerEntry? Following { get; set; }

    /// <summary>The tick at which it is due; ticks are milliseconds of the reactor's clock.</summary>
    internal long DueTick { get; set; }

    internal int Level { get; set; } = -1;

    internal int SlotIndex { get; set; }

    internal bool IsScheduled => Level >= 0;

    /// <summary>The deadline passed. Threads: the reactor's. May schedule itself again.</summary>
    internal abstract void OnDue();

    /// <summary>The reactor has ended before the deadline. Threads: the reactor's, which turns no more.</summary>
    internal virtual void NeverDue(Exception reason)
    {
    }
}

/// <summary>A hierarchical timing wheel: adding and cancelling are O(1), and bit scans find the next deadline.</summary>
/// <remarks>
/// Five levels of 64 slots. A slot of level L is 64^L milliseconds wide, so the wheel spans 12 days; later deadlines
/// wait in its last slot. An entry moves down a level when its slot is reached, at most four times. Nothing fires early.
/// Removing one of 10,000 armed kernel timeouts costs 130 microseconds; hence one wheel and one bounded wait.
/// Threads: the reactor's.
/// </remarks>
internal sealed class TimerWheel(long nowTick)
{
    private const int Levels = 5;
    private const int SlotBits = 6;
    private const int Slots = 1 << SlotBits;
    private const long SlotMask = Slots - 1;
    private const long Span = 1L << (SlotBits * Levels);

    private readonly TimerEntry?[] _slots = new TimerEntry?[Levels * Slots];
    private readonly ulong[] _occupied = new ulong[Levels];

    internal long CurrentTick { get; private set; } = nowTick;

    internal int Count { get; private set; }

    /// <summary>Schedules the entry. A due tick in the past fires at the next <see cref="Advance"/>.</summary>
    internal void Add(TimerEntry entry, long dueTick)
    {
        Debug.Assert(!entry.IsScheduled);
        entry.DueTick = Math.Max(dueTick, CurrentTick + 1);
        Place(entry);
        Count++;
    }

    /// <summary>Removes the entry; does nothing if it is not in the wheel.</summary>
    internal void Remove(TimerEntry entry)
    {
        if (!entry.IsScheduled)
        {
            return;
        }

        Unlink(entry);
        Count--;
    }

    /// <summary>A tick at which something may be due; never later than the first deadline. Null if the wheel is empty.</summary>
    internal long? NextTick()
    {
        if (Count == 0)
        {
            return null;
        }

        long next = long.MaxValue;
        for (int level = 0; level < Levels; level++)
        {
            if (_occupied[level] != 0)
            {
                int shift = level * SlotBits;
                int position = (int)((CurrentTick >> shift) & SlotMask);

                // The slot under the hand (bit 0) holds only entries that are due a whole round later.
                ulong ahead = BitOperations.RotateRight(_occupied[level], position) & ~1UL;
                long distance = ahead == 0 ? Slots : BitOperations.TrailingZeroCount(ahead);
                next = Math.Min(next, ((CurrentTick >> shift) + distance) << shift);
            }
        }

        return Math.Max(next, CurrentTick + 1);
    }

    /// <summary>Advances the hand and fires due entries, in the order of their ticks.</summary>
    internal void Advance(long nowTick)
    {
        // First fire what the previous call left in this slot because an entry threw.
        Fire((int)(CurrentTick & SlotMask));
        while (CurrentTick < nowTick)
        {
            long next = Math.Min(NextTick() ?? nowTick, nowTick);
            CurrentTick = next;
            Cascade();
            Fire((int)(CurrentTick & SlotMask));
        }
    }

    /// <summary>Removes every entry, in no order.</summary>
    internal List<TimerEntry> RemoveAll()
    {
        var removed = new List<TimerEntry>(Count);
        for (int index = 0; index < _slots.Length; index++)
        {
            while (_slots[index] is { } entry)
            {
                Remove(entry);
                removed.Add(entry);
            }
        }

        return removed;
    }

    private void Cascade()
    {
        for (int level = 1; level < Levels; level++)
        {
            int shift = level * SlotBits;
            if ((CurrentTick & ((1L << shift) - 1)) != 0)
            {
                return;
            }

            int slot = (int)((CurrentTick >> shift) & SlotMask);
            TimerEntry? entry = Detach(level, slot);
            while (entry is not null)
            {
                TimerEntry? following = entry.Following;
                Place(entry);
                entry = following;
            }
        }
    }

    private void Fire(int slot)
    {
        // One by one, because a firing entry may remove others from the same slot.
        while (_slots[slot] is { } entry && entry.DueTick <= CurrentTick)
        {
            Unlink(entry);
            Count--;
            entry.OnDue();
        }
    }

    private void Place(TimerEntry entry)
    {
        long due = Math.Max(entry.DueTick, CurrentTick);
        long distance = Math.Min(due - CurrentTick, Span - 1);
        long tick = CurrentTick + distance;
        int level = 0;
        while (level < Levels - 1 && distance >= 1L << (SlotBits * (level + 1)))
        {
            level++;
        }

        int slot = (int)((tick >> (level * SlotBits)) & SlotMask);
        entry.Level = level;
        entry.SlotIndex = slot;
        ref TimerEntry? first = ref _slots[(level * Slots) + slot];
        entry.Previous = null;
        entry.Following = first;
        if (first is not null)
        {
            first.Previous = entry;
        }

        first = entry;
        _occupied[level] |= 1UL << slot;
    }

    private void Unlink(TimerEntry entry)
    {
        ref TimerEntry? first = ref _slots[(entry.Level * Slots) + entry.SlotIndex];
        if (entry.Previous is null)
        {
            first = entry.Following;
        }
        else
        {
            entry.Previous.Following = entry.Following;
        }

        if (entry.Following is not null)
        {
            entry.Following.Previous = entry.Previous;
        }

        if (first is null)
        {
            _occupied[entry.Level] &= ~(1UL << entry.SlotIndex);
        }

        entry.Previous = null;
        entry.Following = null;
        entry.Level = -1;
    }

    private TimerEntry? Detach(int level, int slot)
    {
        TimerEntry? first = _slots[(level * Slots) + slot];
        _slots[(level * Slots) + slot] = null;
        _occupied[level] &= ~(1UL << slot);
        return first;
    }
}
