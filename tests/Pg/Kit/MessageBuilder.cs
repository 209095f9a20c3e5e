using System.Buffers.Binary;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>Builds one message of the protocol, its length included. It shares no code with the driver under test.</summary>
internal sealed class MessageBuilder
{
    private readonly List<byte> _body = [];

    internal MessageBuilder Byte(byte value)
    {
        _body.Add(value);
        return this;
    }

    internal MessageBuilder Int16(int value)
    {
        Span<byte> bytes = stackalloc byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(bytes, (ushort)value);
        return Bytes(bytes);
    }

    internal MessageBuilder Int32(long value)
    {
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, (uint)value);
        return Bytes(bytes);
    }

    internal MessageBuilder Bytes(ReadOnlySpan<byte> value)
    {
        _body.AddRange(value);
        return this;
    }

    /// <summary>A string and the zero that ends it.</summary>
    internal MessageBuilder Text(string value) => Bytes(Encoding.UTF8.GetBytes(value)).Byte(0);

    /// <summary>A length and the bytes; -1 for null.</summary>
    internal MessageBuilder Value(byte[]? value) => value is null ? Int32(-1) : Int32(value.Length).Bytes(value);

    /// <summary>The message with its type and length.</summary>
    internal byte[] Build(char type) => BuildWithLength(type, (uint)_body.Count + 4);

    /// <summary>The message with a length of your own, to lie.</summary>
    internal byte[] BuildWithLength(char type, uint length) => [(byte)type, .. Length(length), .. _body];

    /// <summary>A message without a type: what a connection begins with.</summary>
    internal byte[] BuildUntyped() => [.. Length((uint)_body.Count + 4), .. _body];

    private static byte[] Length(uint value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes;
    }
}
