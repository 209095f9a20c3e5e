namespace Ioxide.Tls;

/// <summary>Whether a session's kernel shall take over, where it need not: with the first large piece of outside memory.</summary>
/// <remarks>
/// <para>It takes over when that piece is appended, if that happens on the reactor and nothing is queued; else as soon as the kernel has taken
/// everything that is, which may be in the middle of the piece.</para>
/// <para>
/// The kernel fills records of 16 KiB, so a session whose peer asked for shorter ones (RFC 6066, section 4) stays in user space. A mutable struct:
/// the field of its <see cref="TlsWriter"/>, inside whose lock it changes.
/// </para>
/// </remarks>
internal struct KernelWish(TlsKernelOffload offload, RecordSealer sealer)
{
    // Below it the three calls of the hand-over cost more than the copies that it saves.
    private const int MinBytes = 64 * 1024;

    private bool _isOpen;

    /// <summary>Whether the kernel is asked where it pays: <see cref="TlsKernelOffload.Auto"/>, and records of full length.</summary>
    internal bool MayBeMade { get; private set; } = offload == TlsKernelOffload.Auto && sealer.MaxDataBytes == RecordHeader.MaxPlaintext;

    /// <summary>Whether the kernel shall take over. Threads: any; a snapshot outside of the lock.</summary>
    internal readonly bool IsOpen => Volatile.Read(in _isOpen);

    /// <summary>So much outside memory is sent at once.</summary>
    internal void Note(int lengthBytes) => _isOpen |= MayBeMade && lengthBytes >= MinBytes;

    /// <summary>The kernel is asked now. What it refuses once, it is not asked again.</summary>
    /// <param name="connection">The session's.</param>
    /// <param name="sealer">The session's.</param>
    /// <param name="user">What has encrypted so far.</param>
    /// <param name="waitingBytes">Flushed bytes that are not encrypted yet: the kernel's first ones.</param>
    /// <returns>Null where it refuses.</returns>
    internal KernelSending? Fulfil(RingConnection connection, RecordSealer sealer, UserSending user, int waitingBytes)
    {
        _isOpen = false;
        KernelSending? kernel = null;
        MayBeMade = KernelTls.MayBeThere(connection.Reactor.Kernel) && KernelSending.TryBegin(connection, sealer, user, out kernel) >= 0;
        if (waitingBytes > 0)
        {
            kernel?.CountFlush(waitingBytes);
        }

        return kernel;
    }
}
