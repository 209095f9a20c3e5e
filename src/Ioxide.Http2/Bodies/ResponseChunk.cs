using System.Buffers;
using System.Diagnostics;

namespace Ioxide.Http2;

/// <summary>A piece of an answer's body in its <see cref="AnswerQueue"/>: an array of its own, or outside memory.</summary>
/// <remarks>
/// Outside memory with an owner outlives the chunk in the sends that refer to it: each of them holds it too, and the last one disposes the owner.
/// </remarks>
internal sealed class ResponseChunk : IDisposable
{
    internal const int SmallBytes = 4096;
    internal const int LargeBytes = 32 * 1024;

    private readonly ReadOnlyMemory<byte> _outside;
    private readonly IDisposable? _owner;
    private readonly bool _isImmutable;
    private byte[] _bytes;

    // This chunk, and sends that refer to the owner's memory.
    private int _holders = 1;
    private bool _isReleased;

    internal ResponseChunk(int bytes) => _bytes = ArrayPool<byte>.Shared.Rent(bytes);

    internal ResponseChunk(ReadOnlyMemory<byte> outside, IDisposable? owner, bool isImmutable)
    {
        _bytes = [];
        _outside = outside;
        _owner = owner;
        _isImmutable = isImmutable;
        IsReference = true;
        End = outside.Length;
    }

    internal ResponseChunk? Next { get; set; }

    /// <summary>It is outside memory.</summary>
    internal bool IsReference { get; }

    /// <summary>Start of the unsent bytes.</summary>
    internal int Start { get; set; }

    /// <summary>End of the written bytes.</summary>
    internal int End { get; set; }

    internal int Length => End - Start;

    internal int FreeLength => IsReference ? 0 : _bytes.Length - End;

    internal Memory<byte> Free => _bytes.AsMemory(End);

    /// <summary>The first unsent bytes.</summary>
    internal ReadOnlySpan<byte> Content(int bytes) => _bytes.AsSpan(Start, bytes);

    /// <summary>Queues outside memory behind what was written to the connection.</summary>
    /// <param name="output">The connection's writer.</param>
    /// <param name="bytes">Number of bytes from <see cref="Start"/> on.</param>
    internal void AppendTo(IReferenceWriter output, int bytes)
    {
        Debug.Assert(IsReference);
        ReadOnlyMemory<byte> slice = _outside.Slice(Start, bytes);
        if (_owner is null)
        {
            output.Append(slice, owner: null, _isImmutable);
        }
        else
        {
            _ = Interlocked.Increment(ref _holders);
            output.Append(slice, this);
        }
    }

    /// <summary>Empties it and takes it out of its list. False if it is not to be kept for other bytes.</summary>
    internal bool TryEmpty(out ResponseChunk? next)
    {
        next = Next;
        if (IsReference || _bytes.Length > SmallBytes)
        {
            return false;
        }

        (Start, End, Next) = (0, 0, null);
        return true;
    }

    /// <summary>Returns the memory, once. The chunk takes no more bytes.</summary>
    internal void Release()
    {
        if (!IsReference)
        {
            byte[] bytes = _bytes;
            _bytes = [];
            ArrayPool<byte>.Shared.Return(bytes);
            (Start, End) = (0, 0);
        }
        else if (!_isReleased)
        {
            _isReleased = true;
            Dispose();
        }
    }

    /// <summary>One holder of the outside memory less: a send that the kernel is through with. Threads: any.</summary>
    public void Dispose()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
        {
            _owner?.Dispose();
        }
    }
}
