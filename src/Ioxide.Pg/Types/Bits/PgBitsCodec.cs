using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary><c>varbit</c> and <c>bit</c>: a count of bits, then bytes.</summary>
internal sealed class PgBitsCodec() : ValueCodec<PgBits>(PgTypeId.VarBit)
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

    protected override bool Reads(uint typeId) => typeId is PgTypeId.VarBit or PgTypeId.Bit;

    protected override PgBits ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        ReadOnlySpan<byte> bits = Open(bytes, typeId, out int count);
        return new PgBits(bits, count);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgBits value) => PgBits.TryParse(text, out value);
}
