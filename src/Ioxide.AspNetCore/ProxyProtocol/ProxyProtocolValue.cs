using System.Buffers.Binary;

namespace Ioxide.AspNetCore;

/// <summary>One value (TLV) of a version 2 header.</summary>
/// <param name="Type">What it is.</param>
/// <param name="Bytes">The value, without its type and length. The memory does not change and may be kept.</param>
public readonly record struct ProxyProtocolValue(ProxyProtocolValueType Type, ReadOnlyMemory<byte> Bytes)
{
    /// <summary>Bytes before each value: its type, and its length in network order.</summary>
    internal const int HeadBytes = 3;

    /// <summary>Cuts the first value off.</summary>
    /// <returns>False where nothing is left, and where what is left is no whole value.</returns>
    internal static bool TryTake(ref ReadOnlyMemory<byte> rest, out ProxyProtocolValue value)
    {
        value = default;
        if (rest.Length < HeadBytes)
        {
            return false;
        }

        int lengthBytes = BinaryPrimitives.ReadUInt16BigEndian(rest.Span[1..]);
        if (rest.Length < HeadBytes + lengthBytes)
        {
            return false;
        }

        value = new((ProxyProtocolValueType)rest.Span[0], rest.Slice(HeadBytes, lengthBytes));
        rest = rest[(HeadBytes + lengthBytes)..];
        return true;
    }

    /// <summary>Whether the bytes are values from the first to the last one.</summary>
    internal static bool AreWhole(ReadOnlyMemory<byte> values)
    {
        while (TryTake(ref values, out _))
        {
        }

        return values.IsEmpty;
    }

    /// <summary>The first value of a type.</summary>
    internal static bool TryFind(ReadOnlyMemory<byte> values, ProxyProtocolValueType type, out ReadOnlyMemory<byte> bytes)
    {
        while (TryTake(ref values, out ProxyProtocolValue value))
        {
            if (value.Type == type)
            {
                bytes = value.Bytes;
                return true;
            }
        }

        bytes = default;
        return false;
    }

    /// <summary>All of them, one after the other.</summary>
    internal static IEnumerable<ProxyProtocolValue> Enumerate(ReadOnlyMemory<byte> values)
    {
        while (TryTake(ref values, out ProxyProtocolValue value))
        {
            yield return value;
        }
    }
}
