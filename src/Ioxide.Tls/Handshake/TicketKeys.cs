namespace Ioxide.Tls;

/// <summary>The keys that session tickets are protected with: a current one that makes them, and the one before, which still opens them.</summary>
/// <remarks>
/// One set serves all reactors, all names and every reloaded certificate of a server, so a client may come back anywhere. A key
/// makes tickets for half of their lifetime. The keys lie in native memory and are cleansed. Threads: any.
/// Source: SSL_CTX_set_tlsext_ticket_key_evp_cb(3); RFC 5077, section 4.
/// </remarks>
internal sealed unsafe class TicketKeys : IDisposable
{
    internal const int NameBytes = 16;
    internal const int KeyBytes = 32;

    private const int SetBytes = NameBytes + (2 * KeyBytes);

    private RuntimeLock _gate;
    private readonly TimeProvider _time;
    private readonly TimeSpan _rotation;
    private readonly SecretMemory _memory = new(2 * SetBytes);
    private DateTimeOffset _rotatedAt;

    internal TicketKeys(TimeSpan lifetime, TimeProvider time)
    {
        _time = time;
        _rotation = lifetime / 2;
        _rotatedAt = time.GetUtcNow();
        RandomNumberGenerator.Fill(new Span<byte>(_memory.Pointer, 2 * SetBytes));
    }

    /// <summary>Copies the current set: name, key of the cipher, key of the MAC.</summary>
    internal void GetCurrent(Span<byte> name, Span<byte> cipherKey, Span<byte> macKey)
    {
        DateTimeOffset now = _time.GetUtcNow();
        using var held = _gate.Hold();
        RotateIfDue(now);
        Copy(_memory.Pointer, name, cipherKey, macKey);
    }

    /// <summary>Copies the set of that name. Returns null where there is none, else whether it is the current one.</summary>
    internal bool? Find(ReadOnlySpan<byte> name, Span<byte> cipherKey, Span<byte> macKey)
    {
        DateTimeOffset now = _time.GetUtcNow();
        using var held = _gate.Hold();
        RotateIfDue(now);
        for (int index = 0; index < 2; index++)
        {
            byte* set = _memory.Pointer + (index * SetBytes);
            if (name.SequenceEqual(new ReadOnlySpan<byte>(set, NameBytes)))
            {
                Copy(set, default, cipherKey, macKey);
                return index == 0;
            }
        }

        return null;
    }

    /// <summary>Makes a new current set; the one before the last is forgotten.</summary>
    internal void Rotate()
    {
        DateTimeOffset now = _time.GetUtcNow();
        using var held = _gate.Hold();
        Rotate(now);
    }

    public void Dispose()
    {
        using var held = _gate.Hold();
        _memory.Dispose();
    }

    private void RotateIfDue(DateTimeOffset now)
    {
        if (now - _rotatedAt >= _rotation)
        {
            // After a pause of two turns the old set may no longer open anything either.
            bool isLongAgo = now - _rotatedAt >= 2 * _rotation;
            Rotate(now);
            if (isLongAgo)
            {
                Rotate(now);
            }
        }
    }

    private void Rotate(DateTimeOffset now)
    {
        byte* current = _memory.Pointer;
        Buffer.MemoryCopy(current, current + SetBytes, SetBytes, SetBytes);
        RandomNumberGenerator.Fill(new Span<byte>(current, SetBytes));
        _rotatedAt = now;
    }

    private static void Copy(byte* set, Span<byte> name, Span<byte> cipherKey, Span<byte> macKey)
    {
        new ReadOnlySpan<byte>(set, name.Length).CopyTo(name);
        new ReadOnlySpan<byte>(set + NameBytes, KeyBytes).CopyTo(cipherKey);
        new ReadOnlySpan<byte>(set + NameBytes + KeyBytes, KeyBytes).CopyTo(macKey);
    }
}
