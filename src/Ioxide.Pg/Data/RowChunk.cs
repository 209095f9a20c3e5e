using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg.Data;

/// <summary>Rows as they were received, one after the other: a byte that says what follows, the length, the row.</summary>
internal sealed class RowChunk
{
    internal const int HeaderBytes = 1 + sizeof(int);
    internal const byte Row = (byte)'D';
    internal const byte End = (byte)'C';

    private const int KeptBytes = 8 * 1024;

    private byte[] _bytes = [];

    internal byte[] Bytes => _bytes;

    internal int Length { get; private set; }

    internal void AppendRow(ReadOnlySpan<byte> body)
    {
        Span<byte> room = Take(HeaderBytes + body.Length);
        room[0] = Row;
        BinaryPrimitives.WriteInt32LittleEndian(room[1..], body.Length);
        body.CopyTo(room[HeaderBytes..]);
    }

    /// <summary>The rows of one statement are over.</summary>
    internal void AppendEnd()
    {
        Span<byte> room = Take(HeaderBytes);
        room.Clear();
        room[0] = End;
    }

    internal void Clear() => Length = 0;

    /// <summary>Gives back what is more than it should keep.</summary>
    internal void Trim()
    {
        Length = 0;
        if (_bytes.Length > KeptBytes)
        {
            Release();
        }
    }

    internal void Release()
    {
        byte[] bytes = _bytes;
        _bytes = [];
        Length = 0;
        if (bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }

    private Span<byte> Take(int lengthBytes)
    {
        int end = checked(Length + lengthBytes);
        if (end > _bytes.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(end, Math.Max(2048, _bytes.Length * 2)));
            _bytes.AsSpan(0, Length).CopyTo(larger);
            if (_bytes.Length > 0)
            {
                ArrayPool<byte>.Shared.Return(_bytes);
            }

            _bytes = larger;
        }

        Span<byte> room = _bytes.AsSpan(Length, lengthBytes);
        Length = end;
        return room;
    }
}
