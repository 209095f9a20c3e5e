namespace Ioxide.Tls;

/// <summary>OpenSSL's context of one direction's cipher: EVP_CIPHER_CTX, with the key in it. Freed and cleansed also by the finalizer.</summary>
/// <remarks>Keep this object alive across a call that takes <see cref="Pointer"/>. Threads: one at a time.</remarks>
internal sealed class CipherContext : SafeHandle
{
    private static int s_liveCount;

    /// <exception cref="TlsException">OpenSSL is out of memory.</exception>
    internal CipherContext()
        : base(0, ownsHandle: true)
    {
        SetHandle(LibCrypto.NewCipherContext());
        if (IsInvalid)
        {
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL made no context: {LibCrypto.TakeErrors()}.");
        }

        Interlocked.Increment(ref s_liveCount);
    }

    /// <summary>How many of the process are not freed yet, for tests that look for leaks.</summary>
    internal static int LiveCount => Volatile.Read(ref s_liveCount);

    /// <exception cref="ObjectDisposedException">It is freed.</exception>
    internal nint Pointer
    {
        get
        {
            ObjectDisposedException.ThrowIf(IsClosed, this);
            return handle;
        }
    }

    public override bool IsInvalid => handle == 0;

    protected override bool ReleaseHandle()
    {
        LibCrypto.FreeCipherContext(handle);
        Interlocked.Decrement(ref s_liveCount);
        return true;
    }
}
