using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Ioxide.Files;

/// <summary>Finds request targets, which are ASCII, by their bytes.</summary>
/// <remarks>
/// The table holds names of files, which clients cannot add to, so a hash without a secret does: a client can at most look up
/// what is not there.
/// </remarks>
internal sealed class TargetComparer : IEqualityComparer<string>, IAlternateEqualityComparer<ReadOnlySpan<byte>, string>
{
    internal static readonly TargetComparer Instance = new();

    public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.Ordinal);

    public int GetHashCode([DisallowNull] string obj) => GetHashCode(Encoding.ASCII.GetBytes(obj));

    public bool Equals(ReadOnlySpan<byte> alternate, string other) => Ascii.Equals(alternate, other);

    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        const ulong Multiplier = 0x9E3779B97F4A7C15;
        ulong hash = (ulong)alternate.Length * Multiplier;
        while (alternate.Length >= sizeof(ulong))
        {
            hash = (ulong.RotateLeft(hash, 23) ^ MemoryMarshal.Read<ulong>(alternate)) * Multiplier;
            alternate = alternate[sizeof(ulong)..];
        }

        foreach (byte value in alternate)
        {
            hash = (ulong.RotateLeft(hash, 5) ^ value) * Multiplier;
        }

        return (int)(hash >> 32);
    }

    public string Create(ReadOnlySpan<byte> alternate) => Encoding.ASCII.GetString(alternate);
}
