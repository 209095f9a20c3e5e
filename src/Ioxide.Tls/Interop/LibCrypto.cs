using System.Runtime.InteropServices;

namespace Ioxide.Tls;

/// <summary>The part of libcrypto 3 that records, BIOs, tickets and certificates need.</summary>
/// <remarks>Source: the manual pages of OpenSSL 3.0, section 3. A call that reports failure leaves entries in the thread's error queue.</remarks>
internal static unsafe partial class LibCrypto
{
    internal const int CtrlAeadSetIvLength = 0x9;
    internal const int CtrlAeadGetTag = 0x10;
    internal const int CtrlAeadSetTag = 0x11;

    static LibCrypto() => OpenSslLibrary.Prepare();

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "OpenSSL_version_num")]
    internal static partial ulong VersionNumber();

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "ERR_clear_error")]
    internal static partial void ClearErrors();

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "ERR_get_error")]
    internal static partial ulong NextError();

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_s_mem")]
    internal static partial nint MemoryBioMethod();

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_new")]
    internal static partial nint NewBio(nint method);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_free")]
    internal static partial void FreeBio(nint bio);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_read")]
    internal static partial int ReadBio(nint bio, byte* destination, int lengthBytes);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_write")]
    internal static partial int WriteBio(nint bio, byte* source, int lengthBytes);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "BIO_ctrl_pending")]
    internal static partial nuint PendingInBio(nint bio);

    /// <summary>Returns an owned cipher; looked up once, because looking it up at each use costs more than a small record.</summary>
    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_CIPHER_fetch")]
    internal static partial nint FetchCipher(nint libraryContext, byte* name, byte* properties);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_CIPHER_CTX_new")]
    internal static partial nint NewCipherContext();

    /// <summary>Cleanses the key.</summary>
    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_CIPHER_CTX_free")]
    internal static partial void FreeCipherContext(nint context);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_CIPHER_CTX_ctrl")]
    internal static partial int ControlCipher(nint context, int command, int argument, void* pointer);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_EncryptInit_ex")]
    internal static partial int BeginEncrypt(nint context, nint cipher, nint engine, byte* key, byte* iv);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_EncryptUpdate")]
    internal static partial int Encrypt(nint context, byte* destination, int* written, byte* source, int lengthBytes);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_EncryptFinal_ex")]
    internal static partial int EndEncrypt(nint context, byte* destination, int* written);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_DecryptInit_ex")]
    internal static partial int BeginDecrypt(nint context, nint cipher, nint engine, byte* key, byte* iv);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_DecryptUpdate")]
    internal static partial int Decrypt(nint context, byte* destination, int* written, byte* source, int lengthBytes);

    /// <summary>1 where the tag is right.</summary>
    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_DecryptFinal_ex")]
    internal static partial int EndDecrypt(nint context, byte* destination, int* written);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "EVP_MAC_CTX_set_params")]
    internal static partial int SetMacParameters(nint context, OsslParameter* parameters);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "X509_STORE_CTX_get0_cert")]
    internal static partial nint CertificateOf(nint storeContext);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "X509_STORE_CTX_get0_untrusted")]
    internal static partial nint UntrustedOf(nint storeContext);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "X509_STORE_CTX_set_error")]
    internal static partial void SetVerifyError(nint storeContext, int error);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "OPENSSL_sk_num")]
    internal static partial int StackCount(nint stack);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "OPENSSL_sk_value")]
    internal static partial nint StackItem(nint stack, int index);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "CRYPTO_malloc")]
    internal static partial void* Allocate(nuint lengthBytes, byte* file, int line);

    [LibraryImport(OpenSslLibrary.Crypto, EntryPoint = "ERR_error_string_n")]
    internal static partial void WriteErrorText(ulong error, byte* text, nuint capacity);

    /// <summary>Empties the thread's error queue and says what the first entry was. Call it right after the failure, on the same thread.</summary>
    internal static string TakeErrors() => OpenSslErrors.Take().Text;
}
