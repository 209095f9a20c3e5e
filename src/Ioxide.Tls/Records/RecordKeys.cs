namespace Ioxide.Tls;

/// <summary>The key and the nonce of one direction, and the secret that the next ones come from. In native memory, cleansed when freed.</summary>
/// <remarks>Source: RFC 8446, sections 7.1 to 7.3; RFC 5246, sections 5 and 6.3. Layout: secret (48), key (32), IV (12).</remarks>
internal sealed unsafe class RecordKeys : IDisposable
{
    internal const int IvBytes = 12;
    internal const int MaxSecretBytes = 48;

    private const int MaxKeyBytes = 32;
    private const int TotalBytes = MaxSecretBytes + MaxKeyBytes + IvBytes;

    private readonly SecretMemory _memory = new(TotalBytes);

    private RecordKeys(RecordSuite suite) => Suite = suite;

    internal RecordSuite Suite { get; }

    internal Span<byte> Key => new(_memory.Pointer + MaxSecretBytes, Suite.KeyBytes);

    /// <summary>12 bytes; where the record carries a part, the rest is zero.</summary>
    internal Span<byte> Iv => new(_memory.Pointer + MaxSecretBytes + MaxKeyBytes, IvBytes);

    private Span<byte> Secret => new(_memory.Pointer, Suite.HashBytes);

    /// <summary>TLS 1.3: from a traffic secret.</summary>
    internal static RecordKeys FromSecret(RecordSuite suite, ReadOnlySpan<byte> secret)
    {
        var keys = new RecordKeys(suite);
        secret[..suite.HashBytes].CopyTo(keys.Secret);
        keys.DeriveFromSecret();
        return keys;
    }

    /// <summary>TLS 1.2: both directions from the master secret and the randoms.</summary>
    internal static (RecordKeys Client, RecordKeys Server) FromMaster(
        RecordSuite suite, ReadOnlySpan<byte> master, ReadOnlySpan<byte> clientRandom, ReadOnlySpan<byte> serverRandom)
    {
        const int RandomBytes = 32;
        ReadOnlySpan<byte> label = "key expansion"u8;
        Span<byte> seed = stackalloc byte[label.Length + (2 * RandomBytes)];
        label.CopyTo(seed);
        serverRandom.CopyTo(seed[label.Length..]);
        clientRandom.CopyTo(seed[(label.Length + RandomBytes)..]);
        Span<byte> block = stackalloc byte[2 * (MaxKeyBytes + IvBytes)];
        block = block[..(2 * (suite.KeyBytes + suite.FixedIvBytes))];
        Expand12(suite, master, seed, block);
        var client = new RecordKeys(suite);
        var server = new RecordKeys(suite);
        int ivs = 2 * suite.KeyBytes;
        block[..suite.KeyBytes].CopyTo(client.Key);
        block[suite.KeyBytes..ivs].CopyTo(server.Key);
        block.Slice(ivs, suite.FixedIvBytes).CopyTo(client.Iv);
        block.Slice(ivs + suite.FixedIvBytes, suite.FixedIvBytes).CopyTo(server.Iv);
        CryptographicOperations.ZeroMemory(block);
        return (client, server);
    }

    /// <summary>TLS 1.3: the keys after a KeyUpdate.</summary>
    internal void Update()
    {
        Span<byte> next = stackalloc byte[Suite.HashBytes];
        Expand13(Suite, Secret, "traffic upd", next);
        next.CopyTo(Secret);
        CryptographicOperations.ZeroMemory(next);
        DeriveFromSecret();
    }

    public void Dispose() => _memory.Dispose();

    private void DeriveFromSecret()
    {
        Expand13(Suite, Secret, "key", Key);
        Expand13(Suite, Secret, "iv", Iv);
    }

    /// <summary>HKDF-Expand-Label with an empty context.</summary>
    private static void Expand13(RecordSuite suite, ReadOnlySpan<byte> secret, string label, Span<byte> output)
    {
        const int MaxLabelBytes = 32;
        ReadOnlySpan<byte> prefix = "tls13 "u8;
        Span<byte> info = stackalloc byte[MaxLabelBytes];
        info[0] = 0;
        info[1] = (byte)output.Length;
        info[2] = (byte)(prefix.Length + label.Length);
        prefix.CopyTo(info[3..]);
        int length = 3 + prefix.Length + Encoding.ASCII.GetBytes(label, info[(3 + prefix.Length)..]);
        info[length++] = 0;
        HKDF.Expand(suite.Hash, secret, output, info[..length]);
    }

    /// <summary>The pseudo-random function of TLS 1.2: P_hash.</summary>
    private static void Expand12(RecordSuite suite, ReadOnlySpan<byte> secret, ReadOnlySpan<byte> seed, Span<byte> output)
    {
        int hashBytes = suite.HashBytes;
        Span<byte> chain = stackalloc byte[hashBytes + seed.Length];
        Span<byte> piece = stackalloc byte[hashBytes];
        Span<byte> state = chain[..hashBytes];
        seed.CopyTo(chain[hashBytes..]);
        CryptographicOperations.HmacData(suite.Hash, secret, seed, state);
        while (!output.IsEmpty)
        {
            CryptographicOperations.HmacData(suite.Hash, secret, chain, piece);
            int count = Math.Min(hashBytes, output.Length);
            piece[..count].CopyTo(output);
            output = output[count..];
            CryptographicOperations.HmacData(suite.Hash, secret, state, piece);
            piece.CopyTo(state);
        }

        CryptographicOperations.ZeroMemory(chain);
        CryptographicOperations.ZeroMemory(piece);
    }
}
