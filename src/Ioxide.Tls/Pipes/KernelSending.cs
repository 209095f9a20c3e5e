namespace Ioxide.Tls;

/// <summary>The sending side of a session whose records the kernel makes: new keys, and what waits for the application's flush.</summary>
/// <remarks>
/// <para>It exists from the hand-over on. Nothing is encrypted here any more: OpenSSL's context holds the same key and an old number.</para>
/// <para>
/// Why no byte is encrypted twice, or not at all: each byte of the connection's output is put there inside the writer's lock, as a part of a record
/// until the hand-over and in clear text after it, and the hand-over is made inside that lock too. So it is enough that the output holds no byte of a
/// record then, and sends none later. A byte of a record is, in this order:
/// </para>
/// <code>
/// written    SendPipe.UnflushedBytes        changes inside the lock
/// posted     PendingBytes, PostedFlushes    a flush of another thread is counted before it leaves the lock; the reactor takes it off after it has
///                                           counted it as queued
/// queued     PendingBytes, Sender.IsIdle    leaves it with the completion of the send that took it, on the reactor
/// in flight  Sender.IsIdle                  an operation that was prepared counts as in flight
/// sent       in the socket                  TLS_TX touches what later calls send, not what the socket has
/// </code>
/// <para>
/// The hand-over runs on the reactor, so nothing moves from one stage to the next meanwhile, and <see cref="MayBegin"/> looks at all of them: a flush
/// that is posted and not queued yet keeps it away as one in flight does. Where that is so, it waits for the next send that empties the queue.
/// </para>
/// <code>
/// hand-over    nothing is on its way     -> TLS_TX with the key and the number of the next record
/// new key      KeyUpdate is queued       -> it is sent alone, with the old key
///              RecordSent                -> TLS_TX with the next key, before anything that was queued behind it is sent
/// </code>
/// <para>
/// While the application holds memory of the connection's output nothing can be put behind what it wrote: alerts and KeyUpdate wait
/// for its flush. A kernel that takes no second key (before Linux 6.14) ends the session in order instead. Threads: inside the writer's lock.
/// </para>
/// </remarks>
internal sealed class KernelSending
{
    private readonly RingConnection _connection;
    private readonly RecordSealer _sealer;
    private TlsAlert? _lateAlert;
    private TlsAlert? _lateWarning;
    private bool _mustUpdateKey;

    private KernelSending(RingConnection connection, RecordSealer sealer, bool mustUpdateKey)
    {
        _connection = connection;
        _sealer = sealer;
        _mustUpdateKey = mustUpdateKey;
    }

    /// <summary>KeyUpdate is on its way to the kernel, which gets the next key behind it.</summary>
    internal bool IsChangingKey { get; private set; }

    /// <summary>Whether this is the reactor, and everything encrypted so far has been sent. Inside the writer's lock it stays so.</summary>
    internal static bool MayBegin(RingConnection connection)
        => connection.Reactor.IsCurrent && connection.Sender is { IsIdle: true, HasEnded: false }
            && connection.Output is { UnflushedBytes: 0, PendingBytes: 0 };

    /// <summary>Gives the key to the kernel, if <see cref="MayBegin"/>.</summary>
    /// <returns>0 or <c>-errno</c>; after an error user space can continue.</returns>
    internal static int TryBegin(RingConnection connection, RecordSealer sealer, UserSending user, out KernelSending? sending)
    {
        sending = null;
        if (!MayBegin(connection))
        {
            return -Errno.ENOTCONN;
        }

        int result = KernelTls.TryTransmit(connection, sealer.Keys, sealer.Sequence);
        if (result >= 0)
        {
            user.End();
            connection.Sender.IsEncryptedByKernel = true;
            sending = new KernelSending(connection, sealer, user.MustUpdateKey);
        }

        return result;
    }

    internal static TlsException MakeTooLong(int peersBytes) => new(
        TlsFailure.Handshake,
        $"The peer accepts records of {peersBytes} bytes only (max_fragment_length), but the kernel sends longer ones."
        + $" Use {nameof(TlsKernelOffload)}.{nameof(TlsKernelOffload.Auto)} for such peers.");

    /// <param name="what">What the kernel was asked for.</param>
    /// <param name="result">Its answer.</param>
    internal static TlsException MakeRefused(string what, int result)
        => new(TlsFailure.KernelTls, $"The kernel refuses {what}: {Errno.Name(-result)}.");

    /// <summary>A flush of so many bytes goes to the kernel, which makes at most so many records of it, plus one.</summary>
    internal void CountFlush(long bytes) => _sealer.Sequence += (ulong)(bytes / RecordHeader.MaxPlaintext) + 1;

    internal void EndLater(TlsAlert alert) => _lateAlert = alert;

    internal void WarnLater(TlsAlert alert) => _lateWarning = alert;

    internal void UpdateKeyLater() => _mustUpdateKey = true;

    /// <summary>
    /// Puts behind what was written what could not be put there while the application was writing. Not while it holds memory. Returns whether
    /// that ends the session.
    /// </summary>
    internal bool SendLate()
    {
        if (_lateWarning is { } warning)
        {
            _lateWarning = null;
            Alert(UserSending.Warning, warning);
        }

        UpdateKeyIfDue();
        if (_lateAlert is not { } alert)
        {
            return false;
        }

        _lateAlert = null;
        Alert(alert == TlsAlert.CloseNotify ? UserSending.Warning : UserSending.Fatal, alert);
        _connection.Output.Submit();
        return true;
    }

    /// <summary>KeyUpdate was sent. Returns 0, or <c>-errno</c> where the kernel refuses the next key: the session cannot go on.</summary>
    internal int ChangeKey()
    {
        IsChangingKey = false;
        _sealer.Keys.Update();
        _sealer.Sequence = 0;
        return KernelTls.TrySetKey(_connection, _sealer.Keys, 0);
    }

    private void UpdateKeyIfDue()
    {
        if (IsChangingKey || !(_mustUpdateKey || _sealer.NeedsNewKey))
        {
            return;
        }

        _mustUpdateKey = false;
        if (!KernelTls.TakesNewKeys)
        {
            _lateAlert ??= TlsAlert.CloseNotify;
            return;
        }

        IsChangingKey = true;
        _connection.Output.AppendRecord((byte)RecordType.Handshake, TlsBufferSession.KeyUpdate);
    }

    private void Alert(byte level, TlsAlert alert) => _connection.Output.AppendRecord((byte)RecordType.Alert, [level, (byte)alert]);
}
