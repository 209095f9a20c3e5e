using System.Buffers.Binary;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads big-endian fields of one message. A field that exceeds the message is a protocol error.</summary>
internal ref struct WireReader(ReadOnlySpan<byte> body)
{
    private ReadOnlySpan<byte> _rest = body;

    internal readonly ReadOnlySpan<byte> Rest => _rest;

    internal byte ReadByte() => Take(1)[0];

    internal short ReadInt16() => BinaryPrimitives.ReadInt16BigEndian(Take(sizeof(short)));

    internal int ReadInt32() => BinaryPrimitives.ReadInt32BigEndian(Take(sizeof(int)));

    internal uint ReadUInt32() => BinaryPrimitives.ReadUInt32BigEndian(Take(sizeof(uint)));

    /// <summary>The bytes before the next zero.</summary>
    internal ReadOnlySpan<byte> ReadCString()
    {
        int length = _rest.IndexOf((byte)0);
        if (length < 0)
        {
            throw new PgProtocolException("The server sent a string without an end.");
        }

        ReadOnlySpan<byte> value = _rest[..length];
        _rest = _rest[(length + 1)..];
        return value;
    }

    internal string ReadString() => Encoding.UTF8.GetString(ReadCString());

    internal ReadOnlySpan<byte> Take(int lengthBytes)
    {
        if ((uint)lengthBytes > (uint)_rest.Length)
        {
            throw new PgProtocolException(
                $"The server sent a message that is shorter than its fields: {lengthBytes} bytes are missing of {_rest.Length}.");
        }

        ReadOnlySpan<byte> value = _rest[..lengthBytes];
        _rest = _rest[lengthBytes..];
        return value;
    }
}
