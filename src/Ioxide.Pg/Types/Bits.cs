using System.Buffers.Binary;
using System.Collections;
using System.Collections.Specialized;
using System.Text;

namespace Ioxide.Pg;

/// <summary>A <c>bit</c> or <c>varbit</c>: bits in the order in which they are printed.</summary>
public readonly struct PgBits : IEquatable<PgBits>
{
    private readonly byte[]? _bytes;

    /// <param name="bytes">Eight bits per byte, the first in the highest place. Bits beyond <paramref name="count"/> are cleared.</param>
    /// <param name="count">The number of bits.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer bytes than <paramref name="count"/> needs.</exception>
    public PgBits(ReadOnlySpan<byte> bytes, int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        int length = BytesFor(count);
        ArgumentOutOfRangeException.ThrowIfLessThan(bytes.Length, length, nameof(bytes));
        _bytes = bytes[..length].ToArray();
        Count = count;
        if (count % 8 != 0)
        {
            _bytes[^1] &= (byte)(0xFF00 >> (count % 8));
        }
    }

    /// <summary>The number of bits.</summary>
    public int Count { get; }

    /// <summary>Eight bits per byte, the first in the highest place.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>Returns a bit.</summary>
    /// <param name="index">From 0, which is printed first.</param>
    public bool this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
            return (Bytes[index >> 3] & (0x80 >> (index & 7))) != 0;
        }
    }

    /// <summary>Whether two have the same bits.</summary>
    public static bool operator ==(PgBits left, PgBits right) => left.Equals(right);

    /// <summary>Whether two have different bits.</summary>
    public static bool operator !=(PgBits left, PgBits right) => !left.Equals(right);

    /// <summary>Reads zeros and ones.</summary>
    /// <exception cref="FormatException">There is another character.</exception>
    public static PgBits Parse(string text)
        => TryParse(Encoding.UTF8.GetBytes(text), out PgBits value) ? value : throw new FormatException("The text has more than zeros and ones.");

    /// <summary>Copies a <see cref="BitArray"/>.</summary>
    public static PgBits From(BitArray bits)
    {
        ArgumentNullException.ThrowIfNull(bits);
        byte[] bytes = new byte[BytesFor(bits.Count)];
        Pack(bits, bytes);
        return new PgBits(bytes, bits.Count);
    }

    /// <summary>Copies the bits to a <see cref="BitArray"/>.</summary>
    public BitArray ToBitArray()
    {
        var bits = new BitArray(Count);
        for (int index = 0; index < Count; index++)
        {
            bits[index] = this[index];
        }

        return bits;
    }

    /// <inheritdoc/>
    public bool Equals(PgBits other) => Count == other.Count && Bytes.SequenceEqual(other.Bytes);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgBits other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.Add(Count);
        hash.AddBytes(Bytes);
        return hash.ToHashCode();
    }

    /// <summary>Returns zeros and ones.</summary>
    public override string ToString() => FieldText.Print(PgBitsCodec.Instance, this);

    /// <summary>Writes eight bits per byte, the first in the highest place.</summary>
    internal static void Pack(BitArray bits, Span<byte> bytes)
    {
        bytes.Clear();
        for (int index = 0; index < bits.Count; index++)
        {
            bytes[index >> 3] |= bits[index] ? (byte)(0x80 >> (index & 7)) : (byte)0;
        }
    }

    internal static int BytesFor(int count) => (int)((count + 7L) / 8);

    internal static bool TryParse(ReadOnlySpan<byte> text, out PgBits value)
    {
        value = default;
        if (text.ContainsAnyExceptInRange((byte)'0', (byte)'1'))
        {
            return false;
        }

        byte[] bytes = new byte[BytesFor(text.Length)];
        for (int index = 0; index < text.Length; index++)
        {
            bytes[index >> 3] |= text[index] == '1' ? (byte)(0x80 >> (index & 7)) : (byte)0;
        }

        value = new PgBits(bytes, text.Length);
        return true;
    }
}

/// <summary><c>varbit</c> and <c>bit</c>: a count of bits, then bytes.</summary>
internal sealed class PgBitsCodec() : BuiltInCodec<PgBits>(PgTypeId.VarBit)
{
    internal static readonly PgBitsCodec Instance = new();

    public override int Measure(PgBits value) => sizeof(int) + value.Bytes.Length;

    public override void Write(PgBits value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, value.Count);
        value.Bytes.CopyTo(destination[sizeof(int)..]);
    }

    /// <summary>Checks a wire form.</summary>
    /// <returns>The bytes after the count.</returns>
    internal static ReadOnlySpan<byte> Open(ReadOnlySpan<byte> wire, uint typeId, out int count)
    {
        var reader = new FieldReader(wire, typeId);
        count = reader.ReadInt32();
        ReadOnlySpan<byte> bytes = count < 0 ? [] : reader.Take(PgBits.BytesFor(count));
        reader.End();
        if (count < 0)
        {
            TypeErrors.ThrowMalformed(typeId, "its count of bits is negative");
        }

        return bytes;
    }

    internal override bool Reads(uint typeId) => typeId is PgTypeId.VarBit or PgTypeId.Bit;

    internal override PgBits ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        ReadOnlySpan<byte> bits = Open(bytes, typeId, out int count);
        return new PgBits(bits, count);
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgBits value) => PgBits.TryParse(text, out value);
}

/// <summary><c>varbit</c> and <c>bit</c> as <see cref="BitArray"/>; its first bit is printed first.</summary>
internal sealed class BitArrayCodec() : ConvertedCodec<BitArray, PgBits>(PgTypeId.VarBit, PgBitsCodec.Instance)
{
    public override int Measure(BitArray value) => sizeof(int) + PgBits.BytesFor(value.Count);

    public override void Write(BitArray value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, value.Count);
        PgBits.Pack(value, destination[sizeof(int)..]);
    }

    protected override BitArray FromExact(PgBits value) => value.ToBitArray();
}

/// <summary>
/// <c>varbit</c> and <c>bit</c> of at most 32 bits as <see cref="BitVector32"/>: the first bit is the highest. It is sent as 32 bits.
/// </summary>
internal sealed class BitVector32Codec() : ConvertedCodec<BitVector32, PgBits>(PgTypeId.VarBit, PgBitsCodec.Instance)
{
    private const int Bits = 32;

    public override int Measure(BitVector32 value) => sizeof(int) + sizeof(int);

    public override void Write(BitVector32 value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, Bits);
        BinaryPrimitives.WriteInt32BigEndian(destination[sizeof(int)..], value.Data);
    }

    protected override BitVector32 FromExact(PgBits value)
    {
        if (value.Count > Bits)
        {
            TypeErrors.ThrowRange<BitVector32>(PgTypeId.VarBit, $"it has {value.Count} bits, not at most {Bits}", nameof(PgBits));
        }

        Span<byte> data = stackalloc byte[sizeof(int)];
        value.Bytes.CopyTo(data);
        return new BitVector32(BinaryPrimitives.ReadInt32BigEndian(data));
    }
}
