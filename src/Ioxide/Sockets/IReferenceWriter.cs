using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>A connection's writer that sends outside memory from where it lies, also through a server's own writer in front of it.</summary>
/// <remarks>
/// A server such as Kestrel has a writer in front of this one, counts the bytes and keeps their order. While an offer stands,
/// <c>GetMemory</c> of this one gives the outside memory itself; where the writer in front hands on what it gets, advancing it makes
/// the memory part of the response, and nothing was copied. Where it does not, other memory comes back, and the offer is withdrawn.
/// </remarks>
internal interface IReferenceWriter
{
    /// <summary>Writes memory of somebody else by reference. The next flush sends it.</summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">Disposed once, when the memory is no longer read; null for memory that its holder frees when nothing refers to it.</param>
    /// <remarks>Threads: the writer's.</remarks>
    void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null);

    /// <summary>As <see cref="Append"/>, of memory that is never written again: large ones may be sent by their pages.</summary>
    /// <param name="memory">
    /// Its pages may be read after it was let go: it is mapped memory that is unmapped in the end, and not given to others.
    /// </param>
    void AppendImmutable(ReadOnlyMemory<byte> memory);

    /// <summary>Takes memory of somebody else behind what a writer in front of this one has written, by reference.</summary>
    /// <param name="front">Hands its calls on to this writer, or does not.</param>
    /// <param name="memory">Not empty; as for <see cref="Append"/>.</param>
    /// <param name="owner">As for <see cref="Append"/>.</param>
    /// <param name="isImmutable">As for <see cref="AppendImmutable"/>.</param>
    /// <returns>False where the writer in front keeps bytes for itself: write them as usual. The owner is not disposed then.</returns>
    /// <remarks>Threads: the writer's. The memory is sent by the next flush of <paramref name="front"/>.</remarks>
    bool TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable = false);

    /// <summary>While the memory is offered: advances the writer in front by all of it where it hands the offer on.</summary>
    static bool IsHandedOn(PipeWriter front, ReadOnlyMemory<byte> memory)
    {
        Memory<byte> got = front.GetMemory(1);
        if (got.Length != memory.Length || !Unsafe.AreSame(
            ref MemoryMarshal.GetReference(got.Span), ref MemoryMarshal.GetReference(memory.Span)))
        {
            return false;
        }

        front.Advance(memory.Length);
        return true;
    }
}
