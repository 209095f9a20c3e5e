using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg.Data;

/// <summary>Rows as they were received, one after the other: a kind byte, the length, the row.</summary>
/// <remarks>
/// Only a long row is cut into entries: its start; then for each column the value's length, or -1 for NULL, and the bytes in any number of
/// pieces; its end. It may span any number of chunks; an entry is within one.
/// </remarks>
internal sealed class RowChunk
{
    internal const int HeaderBytes = 1 + sizeof(int);
    internal const byte Row = (byte)'D';
    internal const byte End = (byte)'C';
    internal const byte LongRow = (byte)'L';
    internal const byte Value = (byte)'V';
    internal const byte Piece = (byte)'P';
    internal const byte LongRowEnd = (byte)'E';

    private const int KeptBytes = 8 * 1024;

    private byte[] _bytes = [];

    internal byte[] Bytes => _bytes;

    internal int Length { get; private set; }

    internal void AppendRow(ReadOnlySpan<byte> body) => Append(Row, body);

    /// <summary>The rows of one statement are over.</summary>
    internal void AppendEnd() => Append(End, 0);

    /// <summary>Appends bytes with their length.</summary>
    internal void Append(byte kind, ReadOnlySpan<byte> bytes)
    {
        Span<byte> room = Take(HeaderBytes + bytes.Length);
        room[0] = kind;
        BinaryPrimitives.WriteInt32LittleEndian(room[1..], bytes.Length);
        bytes.CopyTo(room[HeaderBytes..]);
    }

    /// <summary>Appends a number without bytes.</summary>
    internal void Append(byte kind, int number)
    {
        Span<byte> room = Take(HeaderBytes);
        room[0] = kind;
        BinaryPrimitives.WriteInt32LittleEndian(room[1..], number);
    }

    /// <summary>The number of an entry: a length, or the number in its place.</summary>
    internal static int NumberAt(byte[] bytes, int position) => BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(position + 1));

    internal void Clear() => Length = 0;

    /// <summary>Returns memory above the limit that it keeps.</summary>
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
