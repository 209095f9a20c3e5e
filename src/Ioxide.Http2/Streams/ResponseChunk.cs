using System.Buffers;

namespace Ioxide.Http2;

/// <summary>A piece of a response's body on its way from the application to the connection. One owner at a time.</summary>
internal sealed class ResponseChunk
{
    internal const int SmallBytes = 4096;
    internal const int LargeBytes = 32 * 1024;

    private byte[] _bytes;

    internal ResponseChunk(int bytes) => _bytes = ArrayPool<byte>.Shared.Rent(bytes);

    internal ResponseChunk? Next { get; set; }

    /// <summary>Start of the unsent bytes.</summary>
    internal int Start { get; set; }

    /// <summary>End of the written bytes.</summary>
    internal int End { get; set; }

    internal int Length => End - Start;

    internal int FreeLength => _bytes.Length - End;

    internal Memory<byte> Free => _bytes.AsMemory(End);

    internal ReadOnlySpan<byte> Content => _bytes.AsSpan(Start, Length);

    /// <summary>Empties it. False if it is too large to keep for the next answer.</summary>
    internal bool TryEmpty()
    {
        (Start, End, Next) = (0, 0, null);
        return _bytes.Length <= SmallBytes;
    }

    /// <summary>Returns the memory. The chunk is over.</summary>
    internal void Release()
    {
        byte[] bytes = _bytes;
        _bytes = [];
        Next = null;
        (Start, End) = (0, 0);
        ArrayPool<byte>.Shared.Return(bytes);
    }
}
