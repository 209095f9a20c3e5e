using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The answer to an MD5 password request. Source: PostgreSQL manual, 55.2.1, AuthenticationMD5Password.</summary>
internal static class Md5Password
{
    private const int HexBytes = 2 * 16;

    /// <summary><c>"md5" + hex(md5(hex(md5(password + user)) + salt))</c>, ASCII.</summary>
    internal static byte[] Answer(string user, ReadOnlySpan<byte> password, ReadOnlySpan<byte> salt)
    {
        byte[] userBytes = WireText.Encoding.GetBytes(user);
        byte[] first = [.. password, .. userBytes];
        byte[] second = new byte[HexBytes + salt.Length];
        HexOfHash(first, second);
        salt.CopyTo(second.AsSpan(HexBytes));
        byte[] answer = new byte[3 + HexBytes];
        "md5"u8.CopyTo(answer);
        HexOfHash(second, answer.AsSpan(3));
        CryptographicOperations.ZeroMemory(first);
        CryptographicOperations.ZeroMemory(second);
        return answer;
    }

    private static void HexOfHash(ReadOnlySpan<byte> data, Span<byte> destination)
    {
#pragma warning disable CA5351 // The protocol's choice; RequireAuth can refuse it.
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(data, hash);
#pragma warning restore CA5351
        Convert.TryToHexStringLower(hash, destination, out _);
    }
}
