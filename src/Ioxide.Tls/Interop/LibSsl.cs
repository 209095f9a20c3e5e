using static Ioxide.Tls.OpenSslLibrary;

namespace Ioxide.Tls;

/// <summary>The part of libssl 3 that handshakes need.</summary>
/// <remarks>Source: the manual pages of OpenSSL 3.0, section 3, and openssl/ssl.h for the numbers behind its macros.</remarks>
internal static unsafe partial class LibSsl
{
    internal const int ErrorWantRead = 2;

    /// <summary>The peer sent close_notify.</summary>
    internal const int ErrorZeroReturn = 6;

    internal const int VerifyPeer = 1;
    internal const int VerifyFailIfNone = 2;

    internal const ulong OptionNoTicket = 1UL << 14;
    internal const ulong OptionNoCompression = 1UL << 17;
    internal const ulong OptionPrioritizeChaCha = 1UL << 21;
    internal const ulong OptionServerPreference = 1UL << 22;
    internal const ulong OptionNoTls12 = 1UL << 27;
    internal const ulong OptionNoTls13 = 1UL << 29;
    internal const ulong OptionNoRenegotiation = 1UL << 30;

    internal const int ControlMode = 33;
    internal const int ControlSessionCacheMode = 44;
    internal const int ControlHostName = 55;
    internal const int ControlStatusCallback = 63;
    internal const int ControlStatusResponse = 71;
    internal const int ControlChainCertificate = 89;
    internal const int ControlMinVersion = 123;
    internal const int ControlMaxVersion = 124;
    internal const int ControlGetMinVersion = 130;
    internal const int ControlGetMaxVersion = 131;

    internal const long ModeReleaseBuffers = 0x10;

    internal const int CallbackOk = 0;
    internal const int CallbackFatal = 2;
    internal const int CallbackNoAcknowledge = 3;

    static LibSsl() => OpenSslLibrary.Prepare();

    [LibraryImport(Ssl, EntryPoint = "TLS_server_method")] internal static partial nint ServerMethod();
    [LibraryImport(Ssl, EntryPoint = "TLS_client_method")] internal static partial nint ClientMethod();
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_new")] internal static partial nint NewContext(nint method);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_free")] internal static partial void FreeContext(nint context);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_ctrl")]
    internal static partial long ControlContext(nint context, int command, long argument, void* pointer);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_callback_ctrl")]
    internal static partial long SetContextCallback(nint context, int command, void* callback);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_options")] internal static partial ulong SetOptions(nint context, ulong options);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_get_options")] internal static partial ulong GetOptions(nint context);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_get_security_level")] internal static partial int GetSecurityLevel(nint context);
    /// <summary>Applies a section of the configuration. Returns 1 where there is one.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_config")] internal static partial int Configure(nint context, byte* section);
    /// <summary>Its suites for all versions; the context owns the list.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_get_ciphers")] internal static partial nint GetCiphers(nint context);
    [LibraryImport(Ssl, EntryPoint = "OSSL_default_ciphersuites")] internal static partial byte* DefaultCiphers13();
    /// <summary>Suites of TLS 1.2, by OpenSSL's names.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_cipher_list")] internal static partial int SetCiphers12(nint context, byte* names);
    /// <summary>Suites of TLS 1.3, by their names.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_ciphersuites")] internal static partial int SetCiphers13(nint context, byte* names);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_use_certificate")] internal static partial int UseCertificate(nint context, nint certificate);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_use_PrivateKey")] internal static partial int UsePrivateKey(nint context, nint key);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_check_private_key")] internal static partial int CheckPrivateKey(nint context);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_verify")] internal static partial void SetVerify(nint context, int mode, void* callback);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_cert_verify_callback")]
    internal static partial void SetVerifyCallback(nint context, delegate* unmanaged<nint, nint, int> callback, nint argument);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_alpn_select_cb")]
    internal static partial void SetAlpnCallback(
        nint context, delegate* unmanaged<nint, byte**, byte*, byte*, uint, nint, int> callback, nint argument);
    /// <summary>Returns 0 where it worked, unlike the others.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_alpn_protos")]
    internal static partial int OfferAlpn(nint context, byte* protocols, uint lengthBytes);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_keylog_callback")]
    internal static partial void SetKeyLogCallback(nint context, delegate* unmanaged<nint, byte*, void> callback);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_session_id_context")]
    internal static partial int SetSessionIdContext(nint context, byte* id, uint lengthBytes);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_get_num_tickets")] internal static partial nuint GetTicketCount(nint context);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_num_tickets")] internal static partial int SetTicketCount(nint context, nuint count);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_timeout")] internal static partial long SetSessionTimeout(nint context, long seconds);
    [LibraryImport(Ssl, EntryPoint = "SSL_CTX_set_tlsext_ticket_key_evp_cb")]
    internal static partial int SetTicketCallback(nint context, delegate* unmanaged<nint, byte*, byte*, nint, nint, int, int> callback);
    [LibraryImport(Ssl, EntryPoint = "SSL_new")] internal static partial nint New(nint context);
    /// <summary>Frees the session and both of its BIOs, and cleanses its keys.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_free")] internal static partial void Free(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_set_bio")] internal static partial void SetBios(nint ssl, nint input, nint output);
    /// <summary>Names an issuer to clients that are asked for a certificate. Returns 1 where it worked; the name is copied.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_add_client_CA")] internal static partial int AddClientIssuer(nint ssl, nint certificate);
    [LibraryImport(Ssl, EntryPoint = "SSL_set_accept_state")] internal static partial void SetAccepting(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_set_connect_state")] internal static partial void SetConnecting(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_ctrl")] internal static partial long Control(nint ssl, int command, long argument, void* pointer);
    [LibraryImport(Ssl, EntryPoint = "SSL_do_handshake")] internal static partial int Handshake(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_get_error")] internal static partial int ErrorOf(nint ssl, int result);
    /// <summary>The version agreed on, once the hello was read; see <see cref="RecordHeader.Version13"/>.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_version")] internal static partial int VersionOf(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_get_current_cipher")] internal static partial nint CurrentCipher(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_CIPHER_get_protocol_id")] internal static partial ushort SuiteOf(nint cipher);
    [LibraryImport(Ssl, EntryPoint = "SSL_session_reused")] internal static partial int IsResumed(nint ssl);
    [LibraryImport(Ssl, EntryPoint = "SSL_get0_alpn_selected")]
    internal static partial void SelectedAlpn(nint ssl, byte** protocol, uint* lengthBytes);
    [LibraryImport(Ssl, EntryPoint = "SSL_get_session")] internal static partial nint SessionOf(nint ssl);
    /// <summary>What the client asked for with max_fragment_length (RFC 6066, section 4): 1 to 4 stand for 512 to 4,096 bytes.</summary>
    [LibraryImport(Ssl, EntryPoint = "SSL_SESSION_get_max_fragment_length")] internal static partial byte MaxFragmentCode(nint session);
    [LibraryImport(Ssl, EntryPoint = "SSL_SESSION_get_master_key")]
    internal static partial nuint MasterSecret(nint session, byte* destination, nuint capacity);
    [LibraryImport(Ssl, EntryPoint = "SSL_get_client_random")]
    internal static partial nuint ClientRandom(nint ssl, byte* destination, nuint capacity);
    [LibraryImport(Ssl, EntryPoint = "SSL_get_server_random")]
    internal static partial nuint ServerRandom(nint ssl, byte* destination, nuint capacity);
}
