using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The keys that SCRAM derives from a password. Source: RFC 5802, section 3.</summary>
internal sealed class ScramKeys
{
    private ScramKeys(byte[] clientKey, byte[] serverKey)
    {
        ClientKey = clientKey;
        ServerKey = serverKey;
    }

    internal byte[] ClientKey { get; }

    internal byte[] ServerKey { get; }

    /// <summary>Costs milliseconds: never on a reactor.</summary>
    internal static ScramKeys Derive(ReadOnlySpan<byte> password, ReadOnlySpan<byte> salt, int iterations)
    {
        Span<byte> salted = stackalloc byte[SHA256.HashSizeInBytes];
        Rfc2898DeriveBytes.Pbkdf2(password, salt, salted, iterations, HashAlgorithmName.SHA256);
        var keys = new ScramKeys(HMACSHA256.HashData(salted, "Client Key"u8), HMACSHA256.HashData(salted, "Server Key"u8));
        CryptographicOperations.ZeroMemory(salted);
        return keys;
    }
}

/// <summary>Keeps derived keys, so that a data source derives them once, not once per connection.</summary>
/// <remarks>
/// An entry belongs to a user, a password, a salt and a count; the index is their keyed hash, so that no password is kept.
/// Threads: any. At most <see cref="MaxEntries"/>; a server that changes its salt at each attempt only clears the cache.
/// </remarks>
internal sealed class ScramKeyCache
{
    internal const int MaxEntries = 64;

    private readonly byte[] _indexKey = RandomNumberGenerator.GetBytes(SHA256.HashSizeInBytes);
    private readonly ConcurrentDictionary<string, Lazy<Task<ScramKeys>>> _entries = new(StringComparer.Ordinal);

    private int _derivedCount;

    /// <summary>How often keys were derived.</summary>
    internal int DerivedCount => _derivedCount;

    /// <param name="user">The role.</param>
    /// <param name="password">UTF-8; read before this returns, so the caller may clear it afterwards.</param>
    /// <param name="salt">The server's salt.</param>
    /// <param name="iterations">The server's count.</param>
    internal Task<ScramKeys> GetAsync(string user, byte[] password, byte[] salt, int iterations)
    {
        if (_entries.Count >= MaxEntries)
        {
            _entries.Clear();
        }

        string index = Index(user, password, salt, iterations);
        if (_entries.TryGetValue(index, out Lazy<Task<ScramKeys>>? known) && !known.Value.IsFaulted)
        {
            return known.Value;
        }

        byte[] copy = [.. password];
        var created = new Lazy<Task<ScramKeys>>(() => ConnectThread.RunAsync(() => Derive(copy, salt, iterations)));
        Lazy<Task<ScramKeys>> entry = _entries.AddOrUpdate(
            index, static (_, made) => made, static (_, old, made) => old.Value.IsFaulted ? made : old, created);
        if (!ReferenceEquals(entry, created))
        {
            CryptographicOperations.ZeroMemory(copy);
        }

        return entry.Value;
    }

    private ScramKeys Derive(byte[] password, byte[] salt, int iterations)
    {
        Interlocked.Increment(ref _derivedCount);
        try
        {
            return ScramKeys.Derive(password, salt, iterations);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(password);
        }
    }

    private string Index(string user, byte[] password, byte[] salt, int iterations)
    {
        using var hash = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, _indexKey);
        foreach (byte[] part in (ReadOnlySpan<byte[]>)[WireText.Encoding.GetBytes(user), password, salt, BitConverter.GetBytes(iterations)])
        {
            hash.AppendData(BitConverter.GetBytes(part.Length));
            hash.AppendData(part);
        }

        return Convert.ToBase64String(hash.GetHashAndReset());
    }
}
