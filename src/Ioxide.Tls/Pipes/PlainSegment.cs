namespace Ioxide.Tls;

/// <summary>Decrypted bytes in a rented array, in the order of the stream.</summary>
internal sealed class PlainSegment : ReadOnlySequenceSegment<byte>
{
    private byte[] _array = [];

    internal int Length { get; private set; }

    /// <summary>Position in the stream behind the last byte.</summary>
    internal long End => RunningIndex + Length;

    internal PlainSegment? NextSegment
    {
        get => (PlainSegment?)Next;
        set => Next = value;
    }

    /// <summary>Room behind the data.</summary>
    internal Span<byte> Free => _array.AsSpan(Length);

    internal void Rent(int lengthBytes, long position)
    {
        Debug.Assert(_array.Length == 0);
        _array = ArrayPool<byte>.Shared.Rent(lengthBytes);
        RunningIndex = position;
        Next = null;
        Length = 0;
        Memory = default;
    }

    internal void Grow(int lengthBytes)
    {
        Length += lengthBytes;
        Memory = new ReadOnlyMemory<byte>(_array, 0, Length);
    }

    internal void Return()
    {
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        Memory = default;
        Next = null;
    }
}
