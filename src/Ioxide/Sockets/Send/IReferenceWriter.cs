namespace Ioxide;

/// <summary>A connection's writer that sends outside memory without a copy, even behind a server's own writer.</summary>
/// <remarks>
/// A server such as Kestrel puts its own writer in front of this one, counts the bytes and keeps their order. During an offer,
/// <c>GetMemory</c> of this writer returns the outside memory itself. If the front writer passes that memory on, advancing it adds
/// the memory to the response without a copy. If it returns other memory, the offer is withdrawn.
/// </remarks>
[Experimental("IOX1001")]
public interface IReferenceWriter
{
    /// <summary>Writes outside memory by reference. The next flush sends it.</summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">Disposed once, when the memory is no longer read; null for memory that is freed when nothing refers to it.</param>
    /// <param name="isImmutable">
    /// The memory never changes, and its pages may be read after it is released: it is mapped memory that is eventually unmapped, and never reused.
    /// If it is large, it may be sent by its pages. Needs an <paramref name="owner"/> of null.
    /// </param>
    /// <remarks>Threads: the writer's.</remarks>
    void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null, bool isImmutable = false);

    /// <summary>Appends outside memory by reference after a front writer's bytes.</summary>
    /// <param name="front">May pass its calls on to this writer.</param>
    /// <param name="memory">Not empty; as for <see cref="Append"/>.</param>
    /// <param name="owner">As for <see cref="Append"/>.</param>
    /// <param name="isImmutable">As for <see cref="Append"/>.</param>
    /// <returns>False if the front writer keeps bytes for itself: write them as usual. The owner is not disposed then.</returns>
    /// <remarks>
    /// Threads: the writer's. The memory is sent by the next flush of <paramref name="front"/>. The limits of a server in front may not count the
    /// bytes: Kestrel's <c>MinResponseDataRate</c> does not.
    /// </remarks>
    bool TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable = false);
}
