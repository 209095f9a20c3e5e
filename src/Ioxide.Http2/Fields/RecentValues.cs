using System.Buffers.Binary;
using System.Numerics;

namespace Ioxide.Http2;

/// <summary>Texts of short values that came as literals lately: a path or a length that recurs is neither checked nor made again.</summary>
/// <remarks>
/// Clients keep in their table what recurs on a connection, but few of them paths and lengths. A value is found by all of its bytes; one that the
/// client marked as never indexed is not kept. Threads: each has its own. Bounds: 64 values of 64 bytes.
/// </remarks>
internal sealed class RecentValues
{
    private const int MaxBytes = 64;
    private const int Places = 64;

    [ThreadStatic]
    private static RecentValues? s_here;

    private readonly byte[] _bytes = new byte[Places * MaxBytes];
    private readonly string?[] _texts = new string?[Places];

    internal static RecentValues Here => s_here ??= new RecentValues();

    /// <summary>The text, or null if it is not kept.</summary>
    internal string? Find(ReadOnlySpan<byte> value)
    {
        if (value.Length is 0 or > MaxBytes)
        {
            return null;
        }

        // Allowed values have a character per byte, or are not kept.
        int place = PlaceOf(value);
        return _texts[place] is { } text && text.Length == value.Length && _bytes.AsSpan(place * MaxBytes, value.Length).SequenceEqual(value)
            ? text
            : null;
    }

    /// <summary>Keeps an allowed value in the place of another one.</summary>
    internal void Keep(ReadOnlySpan<byte> value, string text)
    {
        if (value.Length is not (0 or > MaxBytes) && text.Length == value.Length)
        {
            int place = PlaceOf(value);
            value.CopyTo(_bytes.AsSpan(place * MaxBytes));
            _texts[place] = text;
        }
    }

    private static int PlaceOf(ReadOnlySpan<byte> value)
    {
        const ulong Spread = 0x9E37_79B9_7F4A_7C15;
        ulong hash = (ulong)value.Length;
        while (value.Length >= sizeof(ulong))
        {
            hash = (BitOperations.RotateLeft(hash, 5) ^ BinaryPrimitives.ReadUInt64LittleEndian(value)) * Spread;
            value = value[sizeof(ulong)..];
        }

        foreach (byte rest in value)
        {
            hash = (BitOperations.RotateLeft(hash, 5) ^ rest) * Spread;
        }

        return (int)(hash >> 58);
    }
}
