using static Ioxide.Tls.OpenSslLibrary;

namespace Ioxide.Tls;

/// <summary>The part of libcrypto 3 that records, BIOs, tickets and certificates need.</summary>
/// <remarks>Source: the manual pages of OpenSSL 3.0, section 3. A call that reports failure leaves entries in the thread's error queue.</remarks>
internal static unsafe partial class LibCrypto
{
    /// <summary>BIO_CTRL_INFO: where the bytes of a BIO in memory lie. Returns how many.</summary>
    internal const int ControlMemoryInfo = 3;

    internal const int CtrlAeadSetIvLength = 0x9;
    internal const int CtrlAeadGetTag = 0x10;
    internal const int CtrlAeadSetTag = 0x11;

    static LibCrypto() => OpenSslLibrary.Prepare();

    [LibraryImport(Crypto, EntryPoint = "OpenSSL_version_num")] internal static partial ulong VersionNumber();
    [LibraryImport(Crypto, EntryPoint = "ERR_clear_error")] internal static partial void ClearErrors();
    [LibraryImport(Crypto, EntryPoint = "ERR_get_error")] internal static partial ulong NextError();
    [LibraryImport(Crypto, EntryPoint = "BIO_s_mem")] internal static partial nint MemoryBioMethod();
    [LibraryImport(Crypto, EntryPoint = "BIO_new")] internal static partial nint NewBio(nint method);
    [LibraryImport(Crypto, EntryPoint = "BIO_free")] internal static partial void FreeBio(nint bio);
    [LibraryImport(Crypto, EntryPoint = "BIO_read")] internal static partial int ReadBio(nint bio, byte* destination, int lengthBytes);
    [LibraryImport(Crypto, EntryPoint = "BIO_write")] internal static partial int WriteBio(nint bio, byte* source, int lengthBytes);
    [LibraryImport(Crypto, EntryPoint = "BIO_ctrl_pending")] internal static partial nuint PendingInBio(nint bio);
    [LibraryImport(Crypto, EntryPoint = "BIO_ctrl")] internal static partial long ControlBio(nint bio, int command, long argument, void* pointer);
    /// <summary>Returns an owned cipher.</summary>
    [LibraryImport(Crypto, EntryPoint = "EVP_CIPHER_fetch")]
    internal static partial nint FetchCipher(nint libraryContext, byte* name, byte* properties);
    [LibraryImport(Crypto, EntryPoint = "EVP_CIPHER_CTX_new")] internal static partial nint NewCipherContext();
    /// <summary>Cleanses the key.</summary>
    [LibraryImport(Crypto, EntryPoint = "EVP_CIPHER_CTX_free")] internal static partial void FreeCipherContext(nint context);
    [LibraryImport(Crypto, EntryPoint = "EVP_CIPHER_CTX_ctrl")]
    internal static partial int ControlCipher(nint context, int command, int argument, void* pointer);
    /// <summary>Encrypts from here on with 1, decrypts with 0. What is 0 or null stays as it is.</summary>
    [LibraryImport(Crypto, EntryPoint = "EVP_CipherInit_ex")]
    internal static partial int BeginCipher(nint context, nint cipher, nint engine, byte* key, byte* iv, int isEncrypting);
    [LibraryImport(Crypto, EntryPoint = "EVP_CipherUpdate")]
    internal static partial int RunCipher(nint context, byte* destination, int* written, byte* source, int lengthBytes);
    /// <summary>Returns 1 on success. When decrypting, that means that the tag is right.</summary>
    [LibraryImport(Crypto, EntryPoint = "EVP_CipherFinal_ex")]
    internal static partial int EndCipher(nint context, byte* destination, int* written);
    [LibraryImport(Crypto, EntryPoint = "EVP_MAC_CTX_set_params")]
    internal static partial int SetMacParameters(nint context, OsslParameter* parameters);
    [LibraryImport(Crypto, EntryPoint = "X509_STORE_CTX_get0_cert")] internal static partial nint CertificateOf(nint storeContext);
    [LibraryImport(Crypto, EntryPoint = "X509_STORE_CTX_get0_untrusted")] internal static partial nint UntrustedOf(nint storeContext);
    [LibraryImport(Crypto, EntryPoint = "X509_STORE_CTX_set_error")] internal static partial void SetVerifyError(nint storeContext, int error);
    [LibraryImport(Crypto, EntryPoint = "OPENSSL_sk_num")] internal static partial int StackCount(nint stack);
    [LibraryImport(Crypto, EntryPoint = "OPENSSL_sk_value")] internal static partial nint StackItem(nint stack, int index);
    [LibraryImport(Crypto, EntryPoint = "CRYPTO_malloc")] internal static partial void* Allocate(nuint lengthBytes, byte* file, int line);
    /// <summary>The configuration file's name; to be released.</summary>
    [LibraryImport(Crypto, EntryPoint = "CONF_get1_default_config_file")] internal static partial byte* DefaultConfigurationFile();
    [LibraryImport(Crypto, EntryPoint = "CRYPTO_free")] internal static partial void Release(void* memory, byte* file, int line);
    /// <summary>1 where only algorithms of a FIPS provider are used.</summary>
    [LibraryImport(Crypto, EntryPoint = "EVP_default_properties_is_fips_enabled")] internal static partial int RequiresFips(nint libraryContext);
    [LibraryImport(Crypto, EntryPoint = "ERR_error_string_n")] internal static partial void WriteErrorText(ulong error, byte* text, nuint capacity);
}
