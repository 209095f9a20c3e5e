using System.Buffers;
using System.Net.NetworkInformation;

namespace Ioxide.Pg;

/// <summary><c>macaddr</c> of 6 bytes and <c>macaddr8</c> of 8.</summary>
internal sealed class PhysicalAddressCodec() : ValueCodec<PhysicalAddress>(PgTypeId.MacAddr)
{
    internal static readonly PhysicalAddressCodec Instance = new();

    private const int MaxBytes = 8;

    public override bool IsTypeFixed => false;

    public override uint TypeIdOf(PhysicalAddress value) => value?.GetAddressBytes().Length == 8 ? PgTypeId.MacAddr8 : PgTypeId.MacAddr;

    public override int Measure(PhysicalAddress value)
    {
        int length = value.GetAddressBytes().Length;
        if (length is not (6 or 8))
        {
            TypeErrors.ThrowValue<PhysicalAddress>("macaddr", $"it has {length} bytes");
        }

        return length;
    }

    public override void Write(PhysicalAddress value, Span<byte> destination) => value.GetAddressBytes().CopyTo(destination);

    protected override bool Reads(uint typeId) => typeId is PgTypeId.MacAddr or PgTypeId.MacAddr8;

    protected override PhysicalAddress ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, typeId == PgTypeId.MacAddr ? 6 : 8, typeId);
        return new PhysicalAddress(bytes.ToArray());
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PhysicalAddress value)
    {
        Span<byte> digits = stackalloc byte[2 * MaxBytes];
        Span<byte> address = stackalloc byte[MaxBytes];
        int count = 0;
        foreach (byte character in text)
        {
            if (character != ':' && count < digits.Length)
            {
                digits[count++] = character;
            }
        }

        bool isAddress = Convert.FromHexString(digits[..count], address, out _, out int length) == OperationStatus.Done
            && length is 6 or MaxBytes;
        value = isAddress ? new PhysicalAddress(address[..length].ToArray()) : PhysicalAddress.None;
        return isAddress;
    }
}
