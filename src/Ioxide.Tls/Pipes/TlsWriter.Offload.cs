namespace Ioxide.Tls;

/// <summary>When the kernel takes over: at once where it must, else as <see cref="KernelWish"/> says.</summary>
public sealed partial class TlsWriter
{
    // Set once, by the hand-over.
    private KernelSending? _kernel;
    private KernelWish _wish;

    /// <summary>Whether the kernel encrypts this session. Threads: any.</summary>
    public bool IsInKernel => Volatile.Read(ref _kernel) is not null;

    /// <inheritdoc cref="KernelWish.MayBeMade"/>
    internal bool MayUseKernel => _wish.MayBeMade;

    /// <summary>What encrypts until the kernel does. From then on its number of the next record is at least the kernel's.</summary>
    internal RecordSealer Sealer => _session.Sealer;

    private bool HasOutside => _outside is { IsEmpty: false };

    private bool PassesThrough => _kernel is not null && !_staged.HasArray && !HasOutside;

    /// <summary>Gives the key to the kernel before the application's first byte. Only on the reactor.</summary>
    /// <exception cref="TlsException">The kernel refuses, or the connection has ended. The peer gets an alert.</exception>
    internal void OffloadToKernel()
    {
        if (Sealer.MaxDataBytes < RecordHeader.MaxPlaintext)
        {
            Fail(TlsAlert.InternalError);
            throw KernelSending.MakeTooLong(Sealer.MaxDataBytes);
        }

        int result;
        using (_lock.Hold())
        {
            result = KernelSending.TryBegin(_connection, Sealer, _user, out KernelSending? kernel);
            Begin(kernel);
        }

        if (result < 0)
        {
            Fail(TlsAlert.InternalError);
            throw KernelSending.MakeRefused("to encrypt the session", result);
        }
    }

    void ISendLayer.RecordSent(byte recordType)
    {
        if (recordType != (byte)RecordType.Handshake)
        {
            return;
        }

        using (_lock.Hold())
        {
            int result = _kernel!.ChangeKey();
            if (_isCompleted)
            {
                _session.EndWriting();
            }

            if (result < 0)
            {
                // The peer expects the next key, so there is no way to tell it.
                _isFailed = true;
                _connection.Abort(KernelSending.MakeRefused("a new key", result));
            }
        }
    }

    void ISendLayer.QueueSent()
    {
        if (_wish.IsOpen)
        {
            using (_lock.Hold())
            {
                OffloadIfIdle();
            }
        }
    }

    /// <summary>Hands over where that is wanted and possible. What is staged becomes the kernel's first record.</summary>
    private void OffloadIfIdle()
    {
        if (_wish.IsOpen && _kernel is null && !_isFailed && !_isCompleted && !_user.IsKeyDue && KernelSending.MayBegin(_connection))
        {
            Begin(_wish.Fulfil(_connection, Sealer, _user, _staged.WaitingBytes));
        }
    }

    private void Begin(KernelSending? kernel)
    {
        if (kernel is not null)
        {
            Volatile.Write(ref _kernel, kernel);
            _lock.NoteOffload();
        }
    }

    private void SendLate() => _isFailed |= _kernel is { } kernel && !_isFailed && !_isCompleted && kernel.SendLate();
}
