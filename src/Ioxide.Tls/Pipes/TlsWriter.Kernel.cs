namespace Ioxide.Tls;

/// <summary>Records that the kernel makes: handing over, new keys, and what waits for the application's flush.</summary>
/// <remarks>
/// <code>
/// hand-over    the send queue is empty   -> TLS_TX with the key and the number of the next record
/// new key      KeyUpdate is queued       -> it is sent alone, with the old key
///              RecordSent                -> TLS_TX with the next key, before anything that was queued behind it is sent
/// </code>
/// While the application holds memory of the connection's output nothing can be put behind what it wrote: alerts and KeyUpdate wait
/// for its flush. A kernel that takes no second key (before Linux 6.14) ends the session in order instead. The kernel fills records
/// of 16 KiB, so a session whose peer asked for shorter ones (RFC 6066, section 4) stays in user space.
/// </remarks>
public sealed partial class TlsWriter
{
    // Below it the three calls of the hand-over cost more than the copies that it saves.
    private const int MinKernelBytes = 64 * 1024;

    // Once set, nothing is encrypted here: OpenSSL's context holds the same key and an old number.
    private bool _isInKernel;
    private bool _wantsKernel;

    // To be counted behind the lock.
    private bool _isHandedOver;
    private bool _mayUseKernel;
    private TlsAlert? _lateAlert;
    private TlsAlert? _lateWarning;

    // KeyUpdate is on its way to the kernel, which gets the next key behind it.
    private bool _isChangingKey;

    /// <summary>Whether the kernel encrypts this session. Threads: any.</summary>
    public bool IsInKernel => Volatile.Read(ref _isInKernel);

    /// <summary>Whether the kernel is asked where it pays: <see cref="TlsKernelOffload.Auto"/>, and records of full length.</summary>
    internal bool MayUseKernel => _mayUseKernel;

    /// <summary>What encrypts until the kernel does. From then on its number of the next record is at least the kernel's.</summary>
    internal RecordSealer Sealer => _sealer;

    private bool PassesThrough => _isInKernel && _staged is null;

    /// <summary>Gives the key to the kernel before the application's first byte. Only on the reactor.</summary>
    /// <exception cref="TlsException">The kernel refuses, or the connection has ended. The peer gets an alert.</exception>
    internal void HandOver()
    {
        if (_sealer.MaxDataBytes < RecordHeader.MaxPlaintext)
        {
            Fail(TlsAlert.InternalError);
            throw new TlsException(
                TlsFailure.KernelTls,
                $"The peer accepts records of {_sealer.MaxDataBytes} bytes only (max_fragment_length), but the kernel sends longer ones."
                + $" Use {nameof(TlsKernelOffload)}.{nameof(TlsKernelOffload.Auto)} for such peers.");
        }

        int result;
        using (new Section(this))
        {
            result = TryHandOver();
        }

        if (result < 0)
        {
            Fail(TlsAlert.InternalError);
            throw new TlsException(TlsFailure.KernelTls, $"The kernel refuses to encrypt the session: {Errno.Name(-result)}.");
        }
    }

    void ISendLayer.RecordSent(byte recordType)
    {
        if (recordType != (byte)RecordType.Handshake)
        {
            return;
        }

        using (new Section(this))
        {
            _isChangingKey = false;
            _sealer.Keys.Update();
            _sealer.Sequence = 0;
            int result = KernelTls.TrySetKey(_connection, _sealer.Keys, 0);
            if (_isCompleted)
            {
                _sealer.Dispose();
            }

            if (result < 0)
            {
                // The peer expects the next key, so there is no way to tell it.
                _isFailed = true;
                _connection.Abort(new TlsException(TlsFailure.KernelTls, $"The kernel refuses a new key: {Errno.Name(-result)}."));
            }
        }
    }

    /// <summary>
    /// Gives the key to the kernel where that is wanted and everything encrypted so far has left the send queue. What is staged
    /// becomes its first record.
    /// </summary>
    private void HandOverIfIdle()
    {
        if (!_wantsKernel || _isInKernel || _isFailed || _mustUpdateKey || _sealer.NeedsNewKey
            || !_connection.Reactor.IsCurrent || !_output.IsIdle || _output.UnflushedBytes > 0)
        {
            return;
        }

        _wantsKernel = false;
        if (!KernelTls.MayBeThere || TryHandOver() < 0)
        {
            _mayUseKernel = false;
        }
    }

    /// <summary>Returns 0 or <c>-errno</c>; after an error user space can continue.</summary>
    private int TryHandOver()
    {
        if (!_output.IsIdle || _output.UnflushedBytes > 0)
        {
            return -Errno.ENOTCONN;
        }

        int result = KernelTls.TryTransmit(_connection, _sealer.Keys, _sealer.Sequence);
        if (result >= 0)
        {
            Volatile.Write(ref _isInKernel, true);
            _output.IsEncryptedByKernel = true;
            _isHandedOver = true;
        }

        return result;
    }

    /// <summary>A flush of so many bytes goes to the kernel, which makes at most so many records of it, plus one.</summary>
    private void CountKernelRecords(long bytes)
    {
        if (_isInKernel)
        {
            _sealer.Sequence += (ulong)(bytes / RecordHeader.MaxPlaintext) + 1;
        }
    }

    /// <summary>Puts behind what was written what could not be put there while the application was writing. Not while it holds memory.</summary>
    private void SendLate()
    {
        if (!_isInKernel || _isFailed || _isCompleted)
        {
            return;
        }

        if (_lateWarning is { } warning)
        {
            _lateWarning = null;
            EncryptRecord(RecordType.Alert, [Warning, (byte)warning]);
        }

        UpdateKernelKeyIfDue();
        if (_lateAlert is { } alert)
        {
            _lateAlert = null;
            EncryptRecord(RecordType.Alert, [alert == TlsAlert.CloseNotify ? Warning : Fatal, (byte)alert]);
            _output.Submit();
            _isFailed = true;
        }
    }

    private void UpdateKernelKeyIfDue()
    {
        if (_isChangingKey || !(_mustUpdateKey || _sealer.NeedsNewKey))
        {
            return;
        }

        _mustUpdateKey = false;
        if (!KernelTls.TakesNewKeys)
        {
            _lateAlert ??= TlsAlert.CloseNotify;
            return;
        }

        _isChangingKey = true;
        EncryptRecord(RecordType.Handshake, s_keyUpdate);
    }
}
