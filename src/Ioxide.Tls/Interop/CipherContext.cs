namespace Ioxide.Tls;

/// <summary>OpenSSL's context of one direction's cipher: EVP_CIPHER_CTX, with the key in it. Freed and cleansed also by the finalizer.</summary>
/// <remarks>Threads: one at a time.</remarks>
internal sealed unsafe class CipherContext : SafeHandle
{
    internal const int TagBytes = 16;

    /// <summary>
    /// Each is looked up with its first session, so that options can be made where there is no OpenSSL, and so that a provider that lacks one
    /// (FIPS has no ChaCha20-Poly1305) serves the others.
    /// </summary>
    private static readonly Lazy<nint>[] s_ciphers =
        [new(static () => Fetch("AES-128-GCM\0"u8)), new(static () => Fetch("AES-256-GCM\0"u8)), new(static () => Fetch("ChaCha20-Poly1305\0"u8))];

    private static int s_liveCount;

    private readonly nint _cipher;
    private readonly int _isSealing;

    /// <exception cref="TlsException">OpenSSL is out of memory, or has no such cipher.</exception>
    internal CipherContext(RecordCipher cipher, bool isSealing)
        : base(0, ownsHandle: true)
    {
        _cipher = s_ciphers[(int)cipher].Value;
        _isSealing = isSealing ? 1 : 0;
        SetHandle(LibCrypto.NewCipherContext());
        if (IsInvalid)
        {
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL made no context: {OpenSslErrors.Take().Text}.");
        }

        Interlocked.Increment(ref s_liveCount);
    }

    /// <summary>How many of the process are not freed yet, for tests that look for leaks.</summary>
    internal static int LiveCount => Volatile.Read(ref s_liveCount);

    public override bool IsInvalid => handle == 0;

    /// <summary>Looks a cipher up: an owned one, because looking it up at each use costs more than a small record.</summary>
    /// <param name="name">With a zero behind it.</param>
    /// <exception cref="TlsException">OpenSSL has none.</exception>
    internal static nint Fetch(ReadOnlySpan<byte> name)
    {
        fixed (byte* text = name)
        {
            nint cipher = LibCrypto.FetchCipher(0, text, null);
            return cipher != 0
                ? cipher
                : throw new TlsException(
                    TlsFailure.Unavailable, $"OpenSSL has no {Marshal.PtrToStringUTF8((nint)text)}: {OpenSslErrors.Take().Text}.");
        }
    }

    /// <exception cref="TlsException">OpenSSL does not take the key.</exception>
    internal void SetKey(ReadOnlySpan<byte> key)
    {
        nint context = Checked();
        fixed (byte* bytes = key)
        {
            if (LibCrypto.BeginCipher(context, _cipher, 0, null, null, _isSealing) != 1
                || LibCrypto.ControlCipher(context, LibCrypto.CtrlAeadSetIvLength, RecordKeys.IvBytes, null) != 1
                || LibCrypto.BeginCipher(context, 0, 0, bytes, null, _isSealing) != 1)
            {
                throw new TlsException(TlsFailure.Unavailable, $"OpenSSL did not accept a record key: {OpenSslErrors.Take().Text}.");
            }
        }

        GC.KeepAlive(this);
    }

    /// <summary>Encrypts, and puts the tag behind.</summary>
    /// <param name="nonce">12 bytes.</param>
    /// <param name="associated">What is authenticated with it.</param>
    /// <param name="data">What is encrypted.</param>
    /// <param name="last">One byte that is encrypted behind the data, or none.</param>
    /// <param name="destination">Exactly as long as all of it with the tag.</param>
    /// <exception cref="TlsException">OpenSSL failed.</exception>
    internal void Seal(byte* nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> data, ReadOnlySpan<byte> last, Span<byte> destination)
    {
        Debug.Assert(destination.Length == data.Length + last.Length + TagBytes);
        nint context = Checked();
        int written;
        fixed (byte* authenticated = associated, source = data, end = last, target = destination)
        {
            byte* tag = target + data.Length + last.Length;
            if (LibCrypto.BeginCipher(context, 0, 0, null, nonce, 1) != 1
                || LibCrypto.RunCipher(context, null, &written, authenticated, associated.Length) != 1
                || (!data.IsEmpty && LibCrypto.RunCipher(context, target, &written, source, data.Length) != 1)
                || (!last.IsEmpty && LibCrypto.RunCipher(context, target + data.Length, &written, end, last.Length) != 1)
                || LibCrypto.EndCipher(context, tag, &written) != 1
                || LibCrypto.ControlCipher(context, LibCrypto.CtrlAeadGetTag, TagBytes, tag) != 1)
            {
                throw new TlsException(TlsFailure.Unavailable, $"OpenSSL could not encrypt a record: {OpenSslErrors.Take().Text}.");
            }
        }

        GC.KeepAlive(this);
    }

    /// <summary>Decrypts. Returns whether it is authentic; if not, what was written must not be used.</summary>
    /// <param name="nonce">12 bytes.</param>
    /// <param name="associated">What is authenticated with it.</param>
    /// <param name="data">What is decrypted.</param>
    /// <param name="tag">16 bytes.</param>
    /// <param name="destination">At least as long as the data.</param>
    internal bool Open(byte* nonce, ReadOnlySpan<byte> associated, in ReadOnlySequence<byte> data, byte* tag, Span<byte> destination)
    {
        bool isAuthentic = Decrypt(nonce, associated, data, tag, destination);
        if (!isAuthentic)
        {
            LibCrypto.ClearErrors();
        }

        GC.KeepAlive(this);
        return isAuthentic;
    }

    protected override bool ReleaseHandle()
    {
        LibCrypto.FreeCipherContext(handle);
        Interlocked.Decrement(ref s_liveCount);
        return true;
    }

    private bool Decrypt(byte* nonce, ReadOnlySpan<byte> associated, in ReadOnlySequence<byte> data, byte* tag, Span<byte> destination)
    {
        nint context = Checked();
        int written;
        fixed (byte* authenticated = associated, target = destination)
        {
            if (LibCrypto.BeginCipher(context, 0, 0, null, nonce, 0) != 1
                || LibCrypto.RunCipher(context, null, &written, authenticated, associated.Length) != 1)
            {
                return false;
            }

            byte* position = target;
            foreach (ReadOnlyMemory<byte> piece in data)
            {
                fixed (byte* source = piece.Span)
                {
                    if (!piece.IsEmpty && LibCrypto.RunCipher(context, position, &written, source, piece.Length) != 1)
                    {
                        return false;
                    }
                }

                position += piece.Length;
            }

            return LibCrypto.ControlCipher(context, LibCrypto.CtrlAeadSetTag, TagBytes, tag) == 1
                && LibCrypto.EndCipher(context, position, &written) == 1;
        }
    }

    private nint Checked()
    {
        ObjectDisposedException.ThrowIf(IsClosed, this);
        return handle;
    }
}
