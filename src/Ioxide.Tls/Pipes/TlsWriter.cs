namespace Ioxide.Tls;

/// <summary>Encrypts what this side sends, from a rented array directly into the connection's send blocks.</summary>
/// <remarks>
/// <para>A flush on the reactor encrypts nothing yet: what a turn flushes becomes one record when the turn ends, as the connection
/// makes one send of it. A full record, a flush over the connection's limit and one from another thread are encrypted at once.</para>
/// <para>Threads: one writer at a time, on any thread. The reader answers alerts beside it, hence the lock, inside which no code of the application
/// is called.</para>
/// </remarks>
public sealed partial class TlsWriter : PipeWriter, ISendLayer
{
    private readonly RingConnection _connection;
    private readonly SendPipe _output;
    private readonly TlsBufferSession _session;
    private readonly UserSending _user;
    private WriterLock _lock;

    private StagedBytes _staged;
    private bool _isLent;

    // Made by the first piece of outside memory that is too long to be encrypted at once. What is written behind such waits there too.
    private OutsideQueue? _outside;

    // The last flush was large, so the next one likely is.
    private bool _isLarge;
    private long _unflushed;
    private bool _isCompleted;
    private bool _isFailed;

    internal TlsWriter(RingConnection connection, TlsBufferSession session, TlsKernelOffload offload)
    {
        _wish = new KernelWish(offload, session.Sealer);
        _connection = connection;
        _output = connection.Output;
        _session = session;
        _user = new UserSending(_output, session);
        TlsMetrics.Shared.SessionStarted();
    }

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _unflushed;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_offer.IsOpen)
        {
            return _offer.Memory;
        }

        Stage(sizeHint);
        return PassesThrough ? _output.GetMemory(sizeHint) : _staged.Free;
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        Stage(sizeHint);
        return PassesThrough ? _output.GetSpan(sizeHint) : _staged.Free.Span;
    }

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        if (_offer.IsOpen)
        {
            _offer.Take(bytes);
            return;
        }

        if (PassesThrough)
        {
            _output.Advance(bytes);
            _unflushed += bytes;
            return;
        }

        if ((uint)bytes > (uint)_staged.FreeLength)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "More than GetMemory or GetSpan gave.");
        }

        _staged.Advance(bytes);
        _unflushed += bytes;
    }

    /// <summary>
    /// Appends external memory without copying the plaintext. It is encrypted from where it lies, by the kernel where the kernel encrypts this
    /// session. More than 256 KiB between two flushes is not encrypted at once, but by the flush, as the connection has room for it.
    /// </summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed once, when the memory is no longer read: before the call returns, by the flush that encrypts it, or on the reactor once the kernel
    /// has sent it. Null for memory that is never freed.
    /// </param>
    /// <remarks>Threads: the writer's. The next flush sends it.</remarks>
    /// <exception cref="InvalidOperationException">The writer is completed. The owner is not disposed then.</exception>
    public void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null)
    {
        using (_lock.Hold())
        {
            ThrowIfCompleted();
            _wish.Note(memory.Length);
            OffloadIfIdle();
            _unflushed += memory.Length;
            HoldStaged();
            if (!_isFailed && !memory.IsEmpty && (HasOutside || (_kernel is null && _unflushed > OutsideQueue.StepBytes)))
            {
                (_outside ??= new OutsideQueue(this, _connection)).Add(new OutsidePiece(memory, owner, null));
                return;
            }

            if (!_isFailed && !memory.IsEmpty && _kernel is not null)
            {
                _staged.Drop();
                _output.Append(memory, owner);
                return;
            }

            Encrypt(memory.Span);
        }

        owner?.Dispose();
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (HasOutside)
        {
            return _outside!.FlushAsync(cancellationToken);
        }

        using (_lock.Hold())
        {
            BeginFlush();
            int waiting = _staged.WaitingBytes;
            if (_kernel is not null)
            {
                EncryptStaged(onlyFlushed: true);
                SendLate();
            }

            if (_isFailed)
            {
                _staged.Drop();
                return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
            }

            if (_connection.Reactor.IsCurrent && waiting < RecordHeader.MaxPlaintext && _kernel is null
                && _output.UnflushedBytes == 0 && _output.HasRoomFor(waiting))
            {
                if (waiting > 0)
                {
                    _connection.MarkDirty();
                }

                return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: false));
            }

            if (!_isCompleted)
            {
                EncryptStaged(onlyFlushed: true);
                _staged.Drop();
            }

            // The reader's thread may add to the output as well, hence inside.
            return _output.FlushAsync(cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush() => _output.CancelPendingFlush();

    /// <summary>Sends what was written, then close_notify and FIN. With an exception, unflushed data and close_notify are not sent.</summary>
    /// <param name="exception">If not null, the peer notices that the stream was truncated. Outside memory that still waits is dropped.</param>
    /// <remarks>Also dropped is what a cancelled flush has left: for a peer that does not read, it would fill the memory encrypted.</remarks>
    public override void Complete(Exception? exception = null)
    {
        using (_lock.Hold())
        {
            if (_isCompleted)
            {
                return;
            }

            if (_outside is { } outside)
            {
                HoldStaged();
                exception ??= _kernel is null && outside.HasUnfinishedFlush ? new IOException("The writer was completed during a flush.") : null;
                outside.End(_output, _user, _kernel, isDropped: exception is not null || _isFailed || _connection.Sender.HasEnded);
                _lock.Release(outside.TakeDone());
            }

            EncryptStaged(onlyFlushed: exception is not null);
            if (exception is null)
            {
                SendLate();
            }

            // What the application wrote directly into the output is dropped with what went before it.
            bool isDropped = _kernel is not null && (exception is not null || _isFailed);
            if (!isDropped)
            {
                _output.Submit();
            }

            if (exception is null && !_isFailed)
            {
                EncryptAlert([UserSending.Warning, (byte)TlsAlert.CloseNotify]);
            }

            _isCompleted = true;
            TlsMetrics.Shared.SessionEnded(_kernel is not null);
            _staged.Drop();
            if (_kernel is not { IsChangingKey: true })
            {
                // Else the kernel still gets the next key; where the connection ends before, the keys' own finalizer cleanses them.
                _session.EndWriting();
            }

            _output.Complete(isDropped ? exception ?? new IOException("The session is over.") : exception);
        }
    }

    void ISendLayer.EndTurn()
    {
        using (_lock.Hold())
        {
            if (_isCompleted || !_staged.HasArray)
            {
                return;
            }

            try
            {
                if (!_isLent)
                {
                    OffloadIfIdle();
                }

                // Behind outside memory nothing is flushed but by that memory's own flush.
                Debug.Assert(!HasOutside || _staged.WaitingBytes <= 0);
                EncryptStaged(onlyFlushed: true);
                _output.Submit();
            }
            catch (Exception exception) when (exception is TlsException or InvalidOperationException)
            {
                _isFailed = true;
                _connection.Abort(exception);
            }

            if (!_isLent && _staged.IsEmpty)
            {
                _staged.Drop();
            }
        }
    }

    /// <summary>A step of a flush of outside memory: as much as may be encrypted at once, or all by reference once the kernel encrypts.</summary>
    /// <param name="outside">This writer's.</param>
    /// <param name="isFirst">The flush begins: everything written so far is its.</param>
    /// <param name="cancellationToken">Ends a wait.</param>
    internal ValueTask<FlushResult> FlushStep(OutsideQueue outside, bool isFirst, CancellationToken cancellationToken)
    {
        using (_lock.Hold())
        {
            if (isFirst)
            {
                HoldStaged();
                BeginFlush();
                outside.MakeDue();
            }

            if (_isCompleted || _isFailed)
            {
                outside.Drop();
            }
            else
            {
                outside.Send(_output, _user, _kernel, OutsideQueue.StepBytes);
                SendLate();
            }

            _lock.Release(outside.TakeDone());
            return _isFailed
                ? new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true))
                : _output.FlushAsync(cancellationToken);
        }
    }

    /// <summary>It is no longer taken.</summary>
    internal void DropOutside(OutsideQueue outside)
    {
        using (_lock.Hold())
        {
            outside.Drop();
            _lock.Release(outside.TakeDone());
        }
    }

    /// <summary>The session failed: nothing more is encrypted but the alert that says why.</summary>
    internal void Fail(TlsAlert? alert)
    {
        using (_lock.Hold())
        {
            if (_isCompleted || _isFailed)
            {
                return;
            }

            if (_kernel is { } kernel && _isLent)
            {
                // The application holds memory of the output: what ends the session follows with its flush.
                kernel.EndLater(alert ?? TlsAlert.CloseNotify);
                return;
            }

            if (alert is { } description)
            {
                EncryptStaged(onlyFlushed: true);
                EncryptAlert([UserSending.Fatal, (byte)description]);
                _output.Submit();
            }

            _isFailed = true;
        }
    }

    /// <summary>Sends an alert that does not end the session.</summary>
    internal void Warn(TlsAlert alert)
    {
        using (_lock.Hold())
        {
            if (_isCompleted || _isFailed)
            {
                return;
            }

            if (_kernel is { } kernel && _isLent)
            {
                kernel.WarnLater(alert);
                return;
            }

            EncryptAlert([UserSending.Warning, (byte)alert]);
            _output.Submit();
        }
    }

    /// <summary>The next record is preceded by a KeyUpdate: the answer to the peer's, which may wait until something is sent.</summary>
    internal void RequestKeyUpdate()
    {
        using (_lock.Hold())
        {
            if (_kernel is not { } kernel)
            {
                _user.MustUpdateKey = true;
                return;
            }

            kernel.UpdateKeyLater();
            if (!_isLent)
            {
                SendLate();
                _output.Submit();
            }
        }
    }

    private void Stage(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int wanted = Math.Max(1, sizeHint);
        if (PassesThrough)
        {
            using (_lock.Hold())
            {
                _isLent = true;
            }

            return;
        }

        // The end of a turn takes the array away, on the reactor: elsewhere only the lock keeps it.
        if (_connection.Reactor.IsCurrent && HasRoom(wanted))
        {
            _isLent = true;
            return;
        }

        using (_lock.Hold())
        {
            ThrowIfCompleted();
            _isLent = true;
            if (HasRoom(wanted))
            {
                return;
            }

            bool isSmall = !_staged.HasArray && !_isLarge;
            HoldStaged();
            _staged.Rent(Math.Max(wanted, isSmall ? StagingArrays.SmallBytes : StagingArrays.LargeBytes));
        }
    }

    private bool HasRoom(int wanted) => _staged.HasArray && _staged.FreeLength >= wanted && !_isCompleted;

    private void BeginFlush()
    {
        _staged.Flush();
        _isLent = false;
        _isLarge = _unflushed > StagingArrays.SmallBytes;
        if (!HasOutside)
        {
            _kernel?.CountFlush(_unflushed);
        }

        _unflushed = 0;
    }

    /// <summary>Encrypts what is staged, or puts it behind the outside memory that waits.</summary>
    private void HoldStaged()
    {
        if (!HasOutside)
        {
            EncryptStaged(onlyFlushed: false);
        }
        else if (_staged.Detach() is { } piece)
        {
            _outside!.Add(piece);
        }
    }

    private void EncryptStaged(bool onlyFlushed) => Encrypt(_staged.Take(onlyFlushed));

    private void Encrypt(ReadOnlySpan<byte> data)
    {
        if (_kernel is null && !_isFailed)
        {
            _user.Write(data);
        }
        else if (!_isFailed && !data.IsEmpty)
        {
            // An empty write would leave an empty block in the queue.
            Debug.Assert(_connection.Sender.IsEncryptedByKernel);
            _output.Write(data);
        }
    }

    private void EncryptAlert(ReadOnlySpan<byte> alert)
    {
        if (_kernel is null)
        {
            _user.WriteAlert(alert);
        }
        else
        {
            _output.AppendRecord((byte)RecordType.Alert, alert);
        }
    }

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }
    }
}
