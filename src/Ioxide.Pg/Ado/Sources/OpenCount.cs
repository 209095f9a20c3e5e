namespace Ioxide.Pg.Data;

/// <summary>The opens under way on a shared data source, and whether it takes more. A mutable struct: the field of the data source.</summary>
/// <remarks>
/// Who wants to close the data source looks first whether it has sessions. An open that begins after the look keeps it, even one that has ended
/// and has left a session. Threads: any.
/// </remarks>
internal struct OpenCount
{
    private const ulong One = (1UL << 32) + 1;
    private const ulong Over = ulong.MaxValue;

    // The lower half: opens under way. The upper half: opens that have begun, modulo 2^32.
    private ulong _state;

    /// <summary>No open begins any more.</summary>
    internal bool AreOver => Volatile.Read(ref _state) == Over;

    /// <summary>An open begins. False: none does any more.</summary>
    internal bool TryBegin()
    {
        while (Volatile.Read(ref _state) is var state && state != Over)
        {
            if (Interlocked.CompareExchange(ref _state, state + One, state) == state)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>An open ends. If it made a session, that is counted before.</summary>
    internal void End() => Interlocked.Decrement(ref _state);

    /// <summary>Lets no further open begin if none is under way, the look finds no use, and none has begun since before the look.</summary>
    internal bool TryEndAll<T>(T owner, Func<T, bool> isUnused)
    {
        ulong state = Volatile.Read(ref _state);
        return state != Over && (uint)state == 0 && isUnused(owner) && Interlocked.CompareExchange(ref _state, Over, state) == state;
    }
}
