using System.Buffers.Binary;
using System.Collections;

namespace Ioxide.Pg;

/// <summary><c>varbit</c> and <c>bit</c> as <see cref="BitArray"/>; its first bit is printed first.</summary>
internal sealed class BitArrayCodec() : ValueCodec<BitArray>(PgTypeId.VarBit)
{
    internal static readonly BitArrayCodec Instance = new();

    public override int Measure(BitArray value) => sizeof(int) + PgBits.BytesFor(value.Count);

    public override void Write(BitArray value, Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32BigEndian(destination, value.Count);
        Span<byte> bytes = destination[sizeof(int)..];
        bytes.Clear();
        for (int index = 0; index < value.Count; index++)
        {
            bytes[index >> 3] |= value[index] ? (byte)(0x80 >> (index & 7)) : (byte)0;
        }
    }

    protected override bool Reads(uint typeId) => typeId is PgTypeId.VarBit or PgTypeId.Bit;

    protected override BitArray ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
        => PgBitsCodec.Instance.Read(new PgField(bytes, typeId, PgFormat.Binary)).ToBitArray();

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out BitArray value)
    {
        bool isBits = PgBits.TryParse(text, out PgBits bits);
        value = bits.ToBitArray();
        return isBits;
    }
}
