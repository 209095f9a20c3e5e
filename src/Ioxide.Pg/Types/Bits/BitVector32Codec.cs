using System.Buffers.Binary;
using System.Collections.Specialized;

namespace Ioxide.Pg;

/// <summary>
/// <c>varbit</c> and <c>bit</c> of at most 32 bits as <see cref="BitVector32"/>: the first bit is the highest. It is sent as 32 bits.
/// </summary>
internal sealed class BitVector32Codec() : ValueCodec<BitVector32>(PgTypeId.VarBit)
{
    internal static readonly BitVector32Codec Instance = new();

    private const int Bits = 32;

    public override int Measure(BitVector32 value) => sizeof(int) + sizeof(int);

    public override void Write(BitVector32 value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, Bits);
        BinaryPrimitives.WriteInt32BigEndian(destination[sizeof(int)..], value.Data);
    }

    protected override bool Reads(uint typeId) => typeId is PgTypeId.VarBit or PgTypeId.Bit;

    protected override BitVector32 ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => Of(PgBitsCodec.Instance.Read(new PgField(bytes, typeId, PgFormat.Binary)));

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out BitVector32 value)
    {
        bool isBits = PgBits.TryParse(text, out PgBits bits);
        value = isBits ? Of(bits) : default;
        return isBits;
    }

    private static BitVector32 Of(PgBits bits)
    {
        if (bits.Count > Bits)
        {
            throw new InvalidCastException($"{bits.Count} bits do not fit into a {nameof(BitVector32)}, which has {Bits}.");
        }

        Span<byte> data = stackalloc byte[sizeof(int)];
        bits.Bytes.CopyTo(data);
        return new BitVector32(BinaryPrimitives.ReadInt32BigEndian(data));
    }
}
