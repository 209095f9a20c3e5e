namespace Ioxide;

/// <summary>How a writer lets outside memory pass through the writer in front of it: see <see cref="IReferenceWriter"/>.</summary>
/// <remarks>
/// While memory is offered, the writer's <c>GetMemory</c> returns it, and <c>Advance</c> takes it as a whole; the writer queues it after that. A
/// field of the writer, which is used in place. Threads: the writer's.
/// </remarks>
internal struct OfferedMemory
{
    private ReadOnlyMemory<byte> _memory;

    /// <summary>Whether memory is offered now.</summary>
    internal readonly bool IsOpen => !_memory.IsEmpty;

    /// <summary>The memory as a writer's. The front writer advances over it and never writes to it.</summary>
    internal readonly Memory<byte> Memory => MemoryMarshal.AsMemory(_memory);

    /// <summary>Offers memory to the writer in front, which counts the bytes as its own if it passes the offer on.</summary>
    /// <param name="front">Passes its calls on to this writer, or keeps bytes for itself.</param>
    /// <param name="memory">Not empty.</param>
    /// <returns>Whether it was taken: the writer then queues it.</returns>
    internal bool IsTakenBy(PipeWriter front, ReadOnlyMemory<byte> memory)
    {
        Debug.Assert(!memory.IsEmpty);
        Debug.Assert(!IsOpen);
        _memory = memory;
        try
        {
            Memory<byte> got = front.GetMemory(1);
            if (got.Length != memory.Length
                || !Unsafe.AreSame(ref MemoryMarshal.GetReference(got.Span), ref MemoryMarshal.GetReference(memory.Span)))
            {
                return false;
            }

            front.Advance(memory.Length);
            return !IsOpen;
        }
        finally
        {
            _memory = default;
        }
    }

    /// <summary>The front writer advances over the memory.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not over all of it.</exception>
    internal void Take(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(bytes, _memory.Length);
        _memory = default;
    }
}
