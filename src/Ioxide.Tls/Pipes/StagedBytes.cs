namespace Ioxide.Tls;

/// <summary>What is written and not yet encrypted, in a rented array: encrypted up to a start, flushed to a middle, written to an end.</summary>
/// <remarks>A mutable struct: the field of its <see cref="TlsWriter"/>, inside whose lock it changes.</remarks>
internal struct StagedBytes
{
    private byte[]? _array;
    private int _start;
    private int _flushed;
    private int _end;

    /// <summary>Whether there is an array.</summary>
    internal readonly bool HasArray => _array is not null;

    /// <summary>Whether everything written is encrypted.</summary>
    internal readonly bool IsEmpty => _start == _end;

    /// <summary>Flushed bytes that are not encrypted yet.</summary>
    internal readonly int WaitingBytes => _flushed - _start;

    /// <summary>Room behind the written bytes.</summary>
    internal readonly Memory<byte> Free => _array.AsMemory(_end);

    internal readonly int FreeLength => (_array?.Length ?? 0) - _end;

    internal void Advance(int bytes) => _end += bytes;

    /// <summary>Everything written is flushed.</summary>
    internal void Flush() => _flushed = _end;

    /// <summary>Takes the bytes that are not encrypted yet: the flushed ones, or all.</summary>
    internal ReadOnlySpan<byte> Take(bool onlyFlushed)
    {
        int start = _start;
        _start = Math.Max(start, onlyFlushed ? _flushed : _end);
        return _array.AsSpan(start, _start - start);
    }

    /// <summary>Gives away the array and the bytes in it that are not encrypted yet.</summary>
    internal OutsidePiece? Detach()
    {
        OutsidePiece? piece = IsEmpty ? null : new OutsidePiece(_array.AsMemory(_start, _end - _start), null, _array);
        if (piece is null)
        {
            Drop();
        }

        this = default;
        return piece;
    }

    /// <summary>Takes a new array in place of one whose bytes are encrypted.</summary>
    internal void Rent(int lengthBytes)
    {
        Drop();
        _array = StagingArrays.Rent(lengthBytes);
    }

    /// <summary>Drops the bytes and returns the array.</summary>
    internal void Drop()
    {
        if (_array is { } array)
        {
            StagingArrays.Return(array);
        }

        this = default;
    }
}
