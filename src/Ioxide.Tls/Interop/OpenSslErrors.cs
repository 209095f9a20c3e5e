namespace Ioxide.Tls;

/// <summary>What a thread's error queue of OpenSSL's says about one failure.</summary>
/// <param name="Text">The first entry, as OpenSSL words it.</param>
/// <param name="PeerAlert">The fatal alert that the peer sent, or null where this side failed.</param>
/// <param name="RefusesCertificate">This side did not accept the peer's certificate.</param>
/// <remarks>
/// Only codes decide: the texts depend on the version and can be absent. An entry packs <c>library (bits 23 to 30) | reason (bits 0 to
/// 22)</c>; an alert of the peer's is a reason of libssl's of 1,000 and the alert's number. Source: ERR_get_error(3), openssl/err.h
/// and openssl/ssl.h of OpenSSL 3.0.
/// </remarks>
internal readonly unsafe record struct OpenSslErrors(string Text, TlsAlert? PeerAlert, bool RefusesCertificate)
{
    private const uint SystemError = 0x8000_0000;
    private const int LibraryShift = 23;
    private const uint SslLibrary = 20;
    private const uint FirstAlert = 1000;
    private const uint CertificateVerifyFailed = 134;
    private const int TextBytes = 256;

    /// <summary>Empties the queue. Call it right after the failure, on the same thread.</summary>
    internal static OpenSslErrors Take()
    {
        ulong first = 0;
        TlsAlert? alert = null;
        bool refusesCertificate = false;
        while (LibCrypto.NextError() is var code and not 0)
        {
            first = first == 0 ? code : first;
            if ((code & SystemError) != 0 || (code >> LibraryShift) != SslLibrary)
            {
                continue;
            }

            uint reason = (uint)code & ((1U << LibraryShift) - 1);
            refusesCertificate |= reason == CertificateVerifyFailed;
            if (reason is >= FirstAlert and <= FirstAlert + byte.MaxValue)
            {
                alert ??= (TlsAlert)(reason - FirstAlert);
            }
        }

        return new OpenSslErrors(first == 0 ? "no reason given" : Describe(first), alert, refusesCertificate);
    }

    private static string Describe(ulong code)
    {
        byte* text = stackalloc byte[TextBytes];
        LibCrypto.WriteErrorText(code, text, TextBytes);
        return Marshal.PtrToStringUTF8((nint)text) ?? "";
    }
}
