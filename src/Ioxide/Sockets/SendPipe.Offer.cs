using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>Outside memory through a server's own writer, so that the server counts the bytes and keeps its order.</summary>
/// <remarks>
/// A server such as Kestrel has a writer in front of this one. While an offer stands, <see cref="GetMemory"/> gives the outside
/// memory itself; where the writer in front hands on what it gets, advancing it makes the memory part of the response, and
/// nothing was copied. Where it does not, other memory comes back, and the offer is withdrawn.
/// </remarks>
public sealed partial class SendPipe
{
    /// <summary>Queues memory of somebody else behind what a writer in front of this one has written, by reference.</summary>
    /// <param name="front">Hands its calls on to this pipe, or does not.</param>
    /// <param name="memory">Not empty. Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">As for <see cref="Append"/>; null for memory that its holder frees when nothing refers to it.</param>
    /// <returns>False where the writer in front keeps bytes for itself: write them as usual. The owner is not disposed then.</returns>
    /// <remarks>Threads: the writer's. The memory is sent by the next flush of <paramref name="front"/>.</remarks>
    internal bool TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner)
    {
        Debug.Assert(!memory.IsEmpty);
        Debug.Assert(_offered is null);
        if (_isCompleted)
        {
            // The server has dropped a connection that broke; its writer takes what follows and forgets it.
            return false;
        }

        _offered = new MemoryBlock(memory, owner);
        MemoryBlock offered = _offered;
        try
        {
            Memory<byte> got = front.GetMemory(1);
            if (got.Length != memory.Length || !Unsafe.AreSame(
                ref MemoryMarshal.GetReference(got.Span), ref MemoryMarshal.GetReference(memory.Span)))
            {
                return false;
            }

            front.Advance(memory.Length);
            return _offered is null;
        }
        finally
        {
            if (_offered is not null)
            {
                _offered = null;
                offered.Unpin();
            }
        }
    }

    private void TakeOffered(int bytes)
    {
        MemoryBlock offered = _offered!;
        if (bytes != offered.Length)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "Offered memory is taken as a whole.");
        }

        _offered = null;
        AddToChain(offered);
        _unflushed += bytes;
    }
}
