using System.Buffers;
using System.Diagnostics;

namespace Ioxide.Http2;

/// <summary>A piece of a response's body on its way from the application to the connection: an array of its own, or outside memory.</summary>
/// <remarks>
/// One owner at a time. Outside memory with an owner outlives the chunk in the sends that refer to it: each of them holds it too, and the last one
/// disposes the owner.
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

    internal int FreeLength => _bytes.Length - (IsReference ? 0 : End);

    internal Memory<byte> Free => _bytes.AsMemory(End);

    internal ReadOnlySpan<byte> Content => _bytes.AsSpan(Start, Length);

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

    /// <summary>Empties it. False if it is not to be kept for the next answer.</summary>
    internal bool TryEmpty()
    {
        (Start, End, Next) = (0, 0, null);
        return _bytes.Length <= SmallBytes && !IsReference;
    }

    /// <summary>Returns the memory. The chunk is over.</summary>
    internal void Release()
    {
        byte[] bytes = _bytes;
        _bytes = [];
        Next = null;
        (Start, End) = (0, 0);
        if (IsReference)
        {
            Dispose();
        }
        else
        {
            ArrayPool<byte>.Shared.Return(bytes);
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
