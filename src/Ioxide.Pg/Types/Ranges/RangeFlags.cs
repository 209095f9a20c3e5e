namespace Ioxide.Pg;

/// <summary>The first byte of a range on the wire. Source: src/include/utils/rangetypes.h.</summary>
[Flags]
internal enum RangeFlags : byte
{
    None = 0,
    Empty = 0x01,
    LowerInclusive = 0x02,
    UpperInclusive = 0x04,
    LowerInfinite = 0x08,
    UpperInfinite = 0x10,
}
