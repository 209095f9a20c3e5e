using System.Buffers.Binary;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Writes big-endian fields into a span that is known to be large enough.</summary>
internal ref struct WireWriter(Span<byte> destination)
{
    private readonly Span<byte> _destination = destination;
    private int _position;

    /// <summary>Bytes written.</summary>
    internal readonly int Position => _position;

    internal void WriteByte(byte value) => _destination[_position++] = value;

    internal void WriteInt16(int value)
    {
        BinaryPrimitives.WriteUInt16BigEndian(_destination[_position..], (ushort)value);
        _position += sizeof(ushort);
    }

    internal void WriteInt32(int value)
    {
        BinaryPrimitives.WriteInt32BigEndian(_destination[_position..], value);
        _position += sizeof(int);
    }

    internal void WriteUInt32(uint value) => WriteInt32((int)value);

    internal void WriteBytes(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_destination[_position..]);
        _position += value.Length;
    }

    /// <summary>Writes bytes and the terminating zero of a protocol string.</summary>
    internal void WriteCString(ReadOnlySpan<byte> value)
    {
        WriteBytes(value);
        WriteByte(0);
    }

    /// <summary>Reserves space for a value that writes itself.</summary>
    internal Span<byte> Take(int lengthBytes)
    {
        Span<byte> room = _destination.Slice(_position, lengthBytes);
        _position += lengthBytes;
        return room;
    }
}

/// <summary>Text of the application as UTF-8.</summary>
internal static class WireText
{
    /// <summary>
    /// Throws <see cref="EncoderFallbackException"/> for half of a surrogate pair: a replacement would be stored in its place, and nobody would
    /// notice.
    /// </summary>
    internal static readonly UTF8Encoding Encoding = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
}
