namespace Ioxide.Tls;

/// <summary>What OpenSSL calls from inside a handshake. An exception through its frames would end the process, so none leaves.</summary>
/// <remarks>All of them run inside <c>SSL_do_handshake</c>, so the session that the calling thread steps is the one that they mean.</remarks>
internal static unsafe class TlsCallbacks
{
    private const int Failed = -1;
    private const int IvBytes = 16;

    private static readonly Lazy<nint> s_ticketCipher = new(static () => CipherContext.Fetch("AES-256-CBC\0"u8));

    /// <summary>Takes the traffic secrets of TLS 1.3, which OpenSSL 3.0 provides only here.</summary>
    [UnmanagedCallersOnly]
    internal static void KeyLog(nint ssl, byte* line)
        => TlsBufferSession.Current?.TakeSecret(MemoryMarshal.CreateReadOnlySpanFromNullTerminated(line));

    /// <summary>Chooses the application protocol: the first of the server's that the client offers.</summary>
    [UnmanagedCallersOnly]
    internal static int SelectProtocol(nint ssl, byte** selected, byte* selectedBytes, byte* offered, uint offeredBytes, nint argument)
    {
        try
        {
            var offer = new ReadOnlySpan<byte>(offered, (int)offeredBytes);
            int at = TlsBufferSession.Current is { } session ? AlpnList.Select(session.Protocols, offer) : -1;
            if (at < 0)
            {
                return TlsBufferSession.Current?.Protocols.Length > 0 ? LibSsl.CallbackFatal : LibSsl.CallbackNoAcknowledge;
            }

            *selected = offered + at + 1;
            *selectedBytes = offered[at];
            return LibSsl.CallbackOk;
        }
        catch (Exception exception)
        {
            TlsBufferSession.Current?.NoteFailure(exception);
            return LibSsl.CallbackFatal;
        }
    }

    /// <summary>Decides about the peer's certificate. Returns 1 where it is accepted.</summary>
    [UnmanagedCallersOnly]
    internal static int Verify(nint storeContext, nint argument)
    {
        try
        {
            nint leaf = LibCrypto.CertificateOf(storeContext);
            int error = TlsBufferSession.Current?.VerifyPeer(new X509Certificate2(leaf), ReadOthers(LibCrypto.UntrustedOf(storeContext), leaf))
                ?? PeerVerifier.ErrorUnspecified;
            LibCrypto.SetVerifyError(storeContext, error);
            return error == PeerVerifier.Accepted ? 1 : 0;
        }
        catch (Exception exception)
        {
            TlsBufferSession.Current?.NoteFailure(exception);
            LibCrypto.SetVerifyError(storeContext, PeerVerifier.ErrorUnspecified);
            return 0;
        }
    }

    /// <summary>Hands over the answer of the certificate's authority.</summary>
    [UnmanagedCallersOnly]
    internal static int Status(nint ssl, nint argument)
    {
        try
        {
            if (TlsBufferSession.Current?.StatusResponse is not { Length: > 0 } response)
            {
                return LibSsl.CallbackNoAcknowledge;
            }

            byte* copy = (byte*)LibCrypto.Allocate((nuint)response.Length, null, 0);
            response.CopyTo(new Span<byte>(copy, response.Length));
            LibSsl.Control(ssl, LibSsl.ControlStatusResponse, response.Length, copy);
            return LibSsl.CallbackOk;
        }
        catch (Exception exception)
        {
            TlsBufferSession.Current?.NoteFailure(exception);
            return LibSsl.CallbackNoAcknowledge;
        }
    }

    /// <summary>Gives OpenSSL the keys to make or open a ticket. Returns 0 for an unknown key, 1 for a good one, 2 where the client is
    /// to get a new ticket as well.</summary>
    /// <remarks>A client of TLS 1.3 shows a ticket once, so it gets one with each session (RFC 8446, appendix C.4).</remarks>
    [UnmanagedCallersOnly]
    internal static int Ticket(nint ssl, byte* name, byte* iv, nint cipher, nint mac, int isMaking)
    {
        byte* cipherKey = stackalloc byte[TicketKeys.KeyBytes];
        byte* macKey = stackalloc byte[TicketKeys.KeyBytes];
        var cipherSpan = new Span<byte>(cipherKey, TicketKeys.KeyBytes);
        var macSpan = new Span<byte>(macKey, TicketKeys.KeyBytes);
        try
        {
            if (TlsBufferSession.Current?.Tickets is not { } keys)
            {
                return Failed;
            }

            bool? isCurrent = true;
            if (isMaking != 0)
            {
                keys.GetCurrent(new Span<byte>(name, TicketKeys.NameBytes), cipherSpan, macSpan);
                RandomNumberGenerator.Fill(new Span<byte>(iv, IvBytes));
            }
            else
            {
                isCurrent = keys.Find(new ReadOnlySpan<byte>(name, TicketKeys.NameBytes), cipherSpan, macSpan);
            }

            return isCurrent is null ? 0
                : !SetKeys(cipher, mac, cipherKey, macKey, iv, isMaking != 0) ? Failed
                : isMaking != 0 || (isCurrent == true && LibSsl.VersionOf(ssl) < RecordHeader.Version13) ? 1 : 2;
        }
        catch (Exception exception)
        {
            TlsBufferSession.Current?.NoteFailure(exception);
            return Failed;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(cipherSpan);
            CryptographicOperations.ZeroMemory(macSpan);
        }
    }

    private static bool SetKeys(nint cipher, nint mac, byte* cipherKey, byte* macKey, byte* iv, bool isMaking)
    {
        OsslParameter* parameters = stackalloc OsslParameter[3];
        ReadOnlySpan<byte> keyName = "key"u8;
        ReadOnlySpan<byte> digestName = "digest"u8;
        ReadOnlySpan<byte> digest = "sha256"u8;

        // Literals lie in the assembly's image and do not move.
        parameters[0] = new OsslParameter
        {
            Key = Pointer(keyName),
            DataType = OsslParameter.OctetString,
            Data = macKey,
            DataSize = TicketKeys.KeyBytes,
        };
        parameters[1] = new OsslParameter
        {
            Key = Pointer(digestName),
            DataType = OsslParameter.Utf8String,
            Data = Pointer(digest),
            DataSize = (nuint)digest.Length,
        };
        parameters[2] = default;
        return LibCrypto.BeginCipher(cipher, s_ticketCipher.Value, 0, cipherKey, iv, isMaking ? 1 : 0) == 1
            && LibCrypto.SetMacParameters(mac, parameters) == 1;
    }

    private static byte* Pointer(ReadOnlySpan<byte> literal) => (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(literal));

    /// <summary>What the peer showed beside its certificate, which stands in the list too where this side is the server.</summary>
    private static List<X509Certificate2> ReadOthers(nint stack, nint leaf)
    {
        int count = stack == 0 ? 0 : LibCrypto.StackCount(stack);
        var others = new List<X509Certificate2>(count);
        for (int index = 0; index < count; index++)
        {
            if (LibCrypto.StackItem(stack, index) is var other && other != leaf)
            {
                others.Add(new X509Certificate2(other));
            }
        }

        return others;
    }
}
