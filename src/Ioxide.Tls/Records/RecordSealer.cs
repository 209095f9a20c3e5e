using System.Buffers.Binary;
using System.Diagnostics;

namespace Ioxide.Tls;

/// <summary>Encrypts records of one direction, in order.</summary>
/// <remarks>
/// <code>
/// TLS 1.3: 17 03 03 len | AEAD(data, type) | tag 16        nonce = IV xor sequence, authenticated: the head
/// TLS 1.2: type 03 03 len | [nonce 8, GCM] | AEAD(data) | tag 16    authenticated: sequence, type, version, length of data
/// </code>
/// Each number is used once: a repeated nonce would give the key away, so the sequence belongs to this object alone.
/// Threads: one at a time. Source: RFC 8446, section 5; RFC 5246, section 6.2.3.3; RFC 7905.
/// </remarks>
internal sealed unsafe class RecordSealer : IDisposable
{
    internal const int TagBytes = 16;

    // AES-GCM is safe for 2^24.5 full records of one key (RFC 8446, section 5.5).
    private const ulong RecordsOfOneKey = 1UL << 24;

    private readonly RecordKeys _keys;
    private readonly RecordSuite _suite;
    private readonly CipherContext _context = new();

    internal RecordSealer(RecordKeys keys, ulong sequence)
    {
        _keys = keys;
        _suite = keys.Suite;
        Sequence = sequence;
        SetKey();
    }

    /// <summary>The number of the next record.</summary>
    internal ulong Sequence { get; set; }

    /// <summary>Data of one record, in bytes: less than <see cref="RecordHeader.MaxPlaintext"/> where the handshake agreed on less.</summary>
    internal int MaxDataBytes { get; set; } = RecordHeader.MaxPlaintext;

    internal RecordKeys Keys => _keys;

    internal RecordSuite Suite => _suite;

    /// <summary>Bytes that a record adds to its data.</summary>
    internal int OverheadBytes => RecordHeader.SizeInBytes + _suite.ExplicitNonceBytes + (_suite.IsTls13 ? 1 : 0) + TagBytes;

    /// <summary>TLS 1.3: so much was encrypted that a KeyUpdate is due.</summary>
    internal bool NeedsNewKey => _suite.IsTls13 && Sequence >= RecordsOfOneKey;

    /// <summary>Makes one record.</summary>
    /// <param name="type">What it carries.</param>
    /// <param name="data">At most <see cref="MaxDataBytes"/>.</param>
    /// <param name="destination">Room for the data and <see cref="OverheadBytes"/>. Must not overlap the data.</param>
    /// <returns>Bytes of the record.</returns>
    internal int Seal(RecordType type, ReadOnlySpan<byte> data, Span<byte> destination)
    {
        nint context = _context.Pointer;
        Debug.Assert(data.Length <= MaxDataBytes);
        int recordBytes = data.Length + OverheadBytes;
        destination = destination[..recordBytes];
        destination[0] = (byte)(_suite.IsTls13 ? RecordType.ApplicationData : type);
        destination[1] = 3;
        destination[2] = 3;
        BinaryPrimitives.WriteUInt16BigEndian(destination[3..], (ushort)(recordBytes - RecordHeader.SizeInBytes));
        byte* nonce = stackalloc byte[RecordKeys.IvBytes];
        RecordNonce.Write(_keys, Sequence, nonce);
        int bodyAt = RecordHeader.SizeInBytes + _suite.ExplicitNonceBytes;
        if (_suite.ExplicitNonceBytes > 0)
        {
            BinaryPrimitives.WriteUInt64BigEndian(destination[RecordHeader.SizeInBytes..], Sequence);
        }

        byte* associated = stackalloc byte[RecordNonce.MaxAssociatedBytes];
        int associatedBytes = RecordNonce.WriteAssociated(_suite, Sequence, type, destination[..RecordHeader.SizeInBytes], data.Length, associated);
        int written;
        fixed (byte* source = data)
        fixed (byte* target = destination)
        {
            byte* body = target + bodyAt;
            bool isDone = LibCrypto.BeginEncrypt(context, 0, 0, null, nonce) == 1
                && LibCrypto.Encrypt(context, null, &written, associated, associatedBytes) == 1
                && (data.IsEmpty || LibCrypto.Encrypt(context, body, &written, source, data.Length) == 1);
            body += data.Length;
            if (isDone && _suite.IsTls13)
            {
                byte inner = (byte)type;
                isDone = LibCrypto.Encrypt(context, body++, &written, &inner, 1) == 1;
            }

            isDone = isDone && LibCrypto.EndEncrypt(context, body, &written) == 1
                && LibCrypto.ControlCipher(context, LibCrypto.CtrlAeadGetTag, TagBytes, body) == 1;
            if (!isDone)
            {
                throw new TlsException(TlsFailure.Unavailable, $"OpenSSL could not encrypt a record: {LibCrypto.TakeErrors()}.");
            }
        }

        GC.KeepAlive(_context);
        Sequence++;
        return recordBytes;
    }

    /// <summary>TLS 1.3: goes on with the next keys. The KeyUpdate message was the last record of the old ones.</summary>
    internal void Update()
    {
        _keys.Update();
        Sequence = 0;
        SetKey();
    }

    public void Dispose()
    {
        _context.Dispose();
        _keys.Dispose();
    }

    private void SetKey()
    {
        fixed (byte* key = _keys.Key)
        {
            nint context = _context.Pointer;
            if (LibCrypto.BeginEncrypt(context, _suite.EvpCipher, 0, null, null) != 1
                || LibCrypto.ControlCipher(context, LibCrypto.CtrlAeadSetIvLength, RecordKeys.IvBytes, null) != 1
                || LibCrypto.BeginEncrypt(context, 0, 0, key, null) != 1)
            {
                throw new TlsException(TlsFailure.Unavailable, $"OpenSSL took no key: {LibCrypto.TakeErrors()}.");
            }
        }
    }
}
