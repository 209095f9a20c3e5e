namespace Ioxide.Tls;

/// <summary>The sending side of a session whose records the kernel makes: new keys, and what waits for the application's flush.</summary>
/// <remarks>
/// <para>It exists from the hand-over on. Nothing is encrypted here any more: OpenSSL's context holds the same key and an old number.</para>
/// <code>
/// hand-over    the send queue is empty   -> TLS_TX with the key and the number of the next record
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

    /// <summary>Gives the key to the kernel, where everything encrypted so far has left the send queue. Only on the reactor.</summary>
    /// <returns>0 or <c>-errno</c>; after an error user space can continue.</returns>
    internal static int TryBegin(RingConnection connection, RecordSealer sealer, bool mustUpdateKey, out KernelSending? sending)
    {
        sending = null;
        if (!connection.Sender.IsIdle || connection.Output.UnflushedBytes > 0)
        {
            return -Errno.ENOTCONN;
        }

        int result = KernelTls.TryTransmit(connection, sealer.Keys, sealer.Sequence);
        if (result >= 0)
        {
            connection.Sender.IsEncryptedByKernel = true;
            sending = new KernelSending(connection, sealer, mustUpdateKey);
        }

        return result;
    }

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
            Alert(TlsWriter.Warning, warning);
        }

        UpdateKeyIfDue();
        if (_lateAlert is not { } alert)
        {
            return false;
        }

        _lateAlert = null;
        Alert(alert == TlsAlert.CloseNotify ? TlsWriter.Warning : TlsWriter.Fatal, alert);
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
        _connection.Output.AppendRecord((byte)RecordType.Handshake, TlsWriter.KeyUpdate);
    }

    private void Alert(byte level, TlsAlert alert) => _connection.Output.AppendRecord((byte)RecordType.Alert, [level, (byte)alert]);
}
