namespace Ioxide.Tls;

/// <summary>Native memory for secrets: zeroed when made, cleansed when freed, also by the finalizer.</summary>
/// <remarks>Keep this object alive while reading through <see cref="Pointer"/>. Threads: any.</remarks>
internal sealed unsafe class SecretMemory : SafeHandle
{
    private static int s_liveCount;

    private readonly int _lengthBytes;

    internal SecretMemory(int lengthBytes)
        : base(0, ownsHandle: true)
    {
        _lengthBytes = lengthBytes;
        SetHandle((nint)NativeMemory.AllocZeroed((nuint)lengthBytes));
        Interlocked.Increment(ref s_liveCount);
    }

    /// <summary>How many of the process are not freed yet, for tests that look for leaks.</summary>
    internal static int LiveCount => Volatile.Read(ref s_liveCount);

    /// <exception cref="ObjectDisposedException">It is freed.</exception>
    internal byte* Pointer
    {
        get
        {
            ObjectDisposedException.ThrowIf(IsClosed, this);
            return (byte*)handle;
        }
    }

    public override bool IsInvalid => handle == 0;

    protected override bool ReleaseHandle()
    {
        CryptographicOperations.ZeroMemory(new Span<byte>((void*)handle, _lengthBytes));
        NativeMemory.Free((void*)handle);
        Interlocked.Decrement(ref s_liveCount);
        return true;
    }
}
