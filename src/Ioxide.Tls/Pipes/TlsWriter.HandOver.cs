namespace Ioxide.Tls;

/// <summary>When the kernel takes over: at once where it must, else with the first large piece, where the send queue is empty.</summary>
/// <remarks>
/// The kernel fills records of 16 KiB, so a session whose peer asked for shorter ones (RFC 6066, section 4) stays in user space.
/// </remarks>
public sealed partial class TlsWriter
{
    // Below it the three calls of the hand-over cost more than the copies that it saves.
    private const int MinKernelBytes = 64 * 1024;

    // Set once, by the hand-over.
    private KernelSending? _kernel;
    private bool _wantsKernel;
    private bool _mayUseKernel;

    /// <summary>Whether the kernel encrypts this session. Threads: any.</summary>
    public bool IsInKernel => Volatile.Read(ref _kernel) is not null;

    /// <summary>Whether the kernel is asked where it pays: <see cref="TlsKernelOffload.Auto"/>, and records of full length.</summary>
    internal bool MayUseKernel => _mayUseKernel;

    /// <summary>What encrypts until the kernel does. From then on its number of the next record is at least the kernel's.</summary>
    internal RecordSealer Sealer => _sealer;

    private bool PassesThrough => _kernel is not null && _staged is null;

    /// <summary>Gives the key to the kernel before the application's first byte. Only on the reactor.</summary>
    /// <exception cref="TlsException">The kernel refuses, or the connection has ended. The peer gets an alert.</exception>
    internal void HandOver()
    {
        if (_sealer.MaxDataBytes < RecordHeader.MaxPlaintext)
        {
            Fail(TlsAlert.InternalError);
            throw new TlsException(
                TlsFailure.Handshake,
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
            int result = _kernel!.ChangeKey();
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

    /// <summary>Hands over where that is wanted and possible. What is staged becomes the kernel's first record.</summary>
    private void HandOverIfIdle()
    {
        if (!_wantsKernel || _kernel is not null || _isFailed || _mustUpdateKey || _sealer.NeedsNewKey
            || !_connection.Reactor.IsCurrent || !_connection.Sender.IsIdle || _output.UnflushedBytes > 0)
        {
            return;
        }

        _wantsKernel = false;
        if (!KernelTls.MayBeThere || TryHandOver() < 0)
        {
            _mayUseKernel = false;
        }
    }

    private int TryHandOver()
    {
        int result = KernelSending.TryBegin(_connection, _sealer, _mustUpdateKey, out KernelSending? kernel);
        Volatile.Write(ref _kernel, kernel ?? _kernel);
        return result;
    }

    private void SendLate()
    {
        if (_kernel is { } kernel && !_isFailed && !_isCompleted)
        {
            _isFailed = kernel.SendLate();
        }
    }
}
