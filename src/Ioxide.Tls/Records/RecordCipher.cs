namespace Ioxide.Tls;

/// <summary>The AEADs that protect records, as the kernel's TLS knows them too.</summary>
internal enum RecordCipher
{
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
}
