using System.Buffers;

namespace Ioxide;

/// <summary>A range of received bytes in stream order, in a ring's buffer or in a pool's block.</summary>
/// <remarks>
/// One object exists per buffer, made with it. <c>RunningIndex</c> is the position of the first byte in the connection's
/// stream, from 0, so a position in a sequence and a position in the stream are the same number.
/// </remarks>
/// <param name="home">The ring that lends the buffer, or null for a copy in <paramref name="block"/> or in its own memory.</param>
/// <param name="bufferId">The buffer's id in its ring.</param>
/// <param name="slab">Pinned memory.</param>
/// <param name="start">The first byte of the buffer in the slab.</param>
/// <param name="capacity">Bytes that fit.</param>
/// <param name="block">The pool's block that holds a copy, or null.</param>
internal sealed class ReceiveSegment(BufferRing? home, int bufferId, byte[] slab, int start, int capacity, MemoryBlock? block = null)
    : ReadOnlySequenceSegment<byte>
{
    internal BufferRing? Home { get; } = home;

    internal int BufferId { get; } = bufferId;

    /// <summary>The block of a copy; null for a ring's buffer, and for a copy in its own memory.</summary>
    internal MemoryBlock? Block { get; } = block;

    /// <summary>The first byte of the buffer; the memory is pinned.</summary>
    internal ref byte First => ref MemoryMarshal.GetReference(slab.AsSpan(start, 1));

    internal int Length { get; private set; }

    internal long End => RunningIndex + Length;

    /// <summary>Bytes that still fit behind the data. Only copies are appended to.</summary>
    internal Span<byte> Free => slab.AsSpan(start + Length, capacity - Length);

    internal ReceiveSegment? NextSegment
    {
        get => (ReceiveSegment?)Next;
        set => Next = value;
    }

    internal void SetData(int lengthBytes)
    {
        Length = lengthBytes;
        Memory = new ReadOnlyMemory<byte>(slab, start, lengthBytes);
    }

    /// <summary>Gives the segment its place in a stream.</summary>
    internal void SetPosition(long runningIndex)
    {
        RunningIndex = runningIndex;
        Next = null;
    }
}
