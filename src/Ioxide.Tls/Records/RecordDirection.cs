namespace Ioxide.Tls;

/// <summary>What sealing and opening share: the keys of one direction, OpenSSL's context for them, and the number of the next record.</summary>
/// <remarks>Threads: one at a time.</remarks>
internal abstract unsafe class RecordDirection : IDisposable
{
    private readonly CipherContext _context = new();
    private readonly int _isSealing;

    private protected RecordDirection(RecordKeys keys, ulong sequence, bool isSealing)
    {
        Keys = keys;
        Sequence = sequence;
        _isSealing = isSealing ? 1 : 0;
        SetKey();
    }

    internal RecordKeys Keys { get; }

    internal RecordSuite Suite => Keys.Suite;

    /// <summary>The number of the next record.</summary>
    internal ulong Sequence { get; set; }

    /// <summary>Data of one record, in bytes: less than <see cref="RecordHeader.MaxPlaintext"/> where the handshake agreed on less.</summary>
    internal int MaxDataBytes { get; set; } = RecordHeader.MaxPlaintext;

    /// <summary>OpenSSL's context. Keep this object alive across a call that takes it.</summary>
    private protected nint Context => _context.Pointer;

    /// <summary>TLS 1.3: continues with the next keys. The KeyUpdate message was the last record of the old ones.</summary>
    internal void Update()
    {
        Keys.Update();
        Sequence = 0;
        SetKey();
    }

    public void Dispose()
    {
        _context.Dispose();
        Keys.Dispose();
    }

    private void SetKey()
    {
        fixed (byte* key = Keys.Key)
        {
            if (LibCrypto.BeginCipher(Context, Suite.EvpCipher, 0, null, null, _isSealing) != 1
                || LibCrypto.ControlCipher(Context, LibCrypto.CtrlAeadSetIvLength, RecordKeys.IvBytes, null) != 1
                || LibCrypto.BeginCipher(Context, 0, 0, key, null, _isSealing) != 1)
            {
                throw new TlsException(TlsFailure.Unavailable, $"OpenSSL did not accept a record key: {LibCrypto.TakeErrors()}.");
            }
        }

        GC.KeepAlive(this);
    }
}
