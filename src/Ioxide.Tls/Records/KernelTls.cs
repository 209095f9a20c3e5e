namespace Ioxide.Tls;

/// <summary>Hands a sending direction to the kernel: TCP_ULP, then TLS_TX with the key and the number of the next record.</summary>
/// <remarks>
/// A socket that got the upper layer and no key passes bytes through as they are, so a refusal costs nothing. Source: Linux,
/// Documentation/networking/tls.rst and include/uapi/linux/tls.h, Linux 4.13; ChaCha20-Poly1305 from 5.11.
/// <code>version 2, cipher 2, iv 8 (ChaCha: 12), key 16 or 32, salt 4 (ChaCha: 0), number of the next record 8</code>
/// </remarks>
internal static unsafe class KernelTls
{
    internal const int MaxInfoBytes = 56;

    private const int GcmSaltBytes = 4;
    private const ushort Aes128Gcm = 51;
    private const ushort Aes256Gcm = 52;
    private const ushort ChaCha20Poly1305 = 54;

    // A kernel that takes one key only answers EBUSY to the second.
    private static readonly Lazy<bool> s_takesNewKeys =
        new(static () => KernelTlsCheck.Ask(RecordSuite.Of(TlsCipherSuite.TLS_AES_128_GCM_SHA256), keyCount: 2).Error == 0);

    private static volatile Kernel? s_without;

    /// <summary>False once that kernel said that it has no TLS, or that its module may not be loaded from here.</summary>
    internal static bool MayBeThere(Kernel kernel) => !ReferenceEquals(s_without, kernel);

    /// <summary>
    /// Whether the kernel accepts a second key, as KeyUpdate needs it (TLS 1.3; Linux 6.14). Determined once per process,
    /// with a connection of its own. Only where the kernel has TLS. Threads: any.
    /// </summary>
    internal static bool TakesNewKeys => s_takesNewKeys.Value;

    /// <summary>Makes the kernel encrypt from here on. Everything sent so far must have left the send queue.</summary>
    /// <returns>0 or <c>-errno</c>; after an error user space continues.</returns>
    /// <remarks>Threads: the reactor's.</remarks>
    internal static int TryTransmit(RingConnection connection, RecordKeys keys, ulong sequence)
    {
        fixed (byte* name = "tls"u8)
        {
            int result = connection.Reactor.Kernel.SetSocketOption(
                connection.Descriptor, SocketConstants.LevelTcp, SocketConstants.OptionUpperLayer, name, 3);
            if (result < 0 && result != -Errno.EEXIST)
            {
                if (result is -Errno.ENOENT or -Errno.EPERM or -Errno.EACCES or -Errno.ENOSYS)
                {
                    s_without = connection.Reactor.Kernel;
                }

                return result;
            }
        }

        return TrySetKey(connection, keys, sequence);
    }

    /// <summary>Gives the kernel the key and the number of the next record. All that was queued before must have been sent.</summary>
    /// <returns>0 or <c>-errno</c>.</returns>
    /// <remarks>Threads: the reactor's.</remarks>
    internal static int TrySetKey(RingConnection connection, RecordKeys keys, ulong sequence)
    {
        byte* info = stackalloc byte[MaxInfoBytes];
        int lengthBytes = Write(keys, sequence, new Span<byte>(info, MaxInfoBytes));
        try
        {
            return connection.Reactor.Kernel.SetSocketOption(
                connection.Descriptor, SocketConstants.LevelTls, SocketConstants.TlsTransmit, info, (uint)lengthBytes);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(new Span<byte>(info, MaxInfoBytes));
        }
    }

    /// <summary>Writes <c>struct tls12_crypto_info_*</c>, which serves both versions. Returns its length.</summary>
    internal static int Write(RecordKeys keys, ulong sequence, Span<byte> info)
    {
        RecordSuite suite = keys.Suite;
        (ushort cipher, int saltBytes) = suite.Cipher switch
        {
            RecordCipher.Aes128Gcm => (Aes128Gcm, GcmSaltBytes),
            RecordCipher.Aes256Gcm => (Aes256Gcm, GcmSaltBytes),
            _ => (ChaCha20Poly1305, 0),
        };
        BinaryPrimitives.WriteUInt16LittleEndian(info, (ushort)(suite.IsTls13 ? RecordHeader.Version13 : RecordHeader.Version12));
        BinaryPrimitives.WriteUInt16LittleEndian(info[2..], cipher);
        Span<byte> rest = info[4..];
        Span<byte> iv = rest[..(RecordKeys.IvBytes - saltBytes)];
        keys.Iv[saltBytes..].CopyTo(iv);
        if (suite.ExplicitNonceBytes > 0)
        {
            // The part of the nonce that each record carries counts with the records.
            BinaryPrimitives.WriteUInt64BigEndian(iv, sequence);
        }

        rest = rest[iv.Length..];
        keys.Key.CopyTo(rest);
        rest = rest[keys.Key.Length..];
        keys.Iv[..saltBytes].CopyTo(rest);
        rest = rest[saltBytes..];
        BinaryPrimitives.WriteUInt64BigEndian(rest, sequence);
        return info.Length - rest.Length + sizeof(ulong);
    }
}
