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
    internal const byte Warning = 1;
    internal const byte Fatal = 2;

    private readonly RingConnection _connection;
    private readonly SendPipe _output;
    private readonly RecordSealer _sealer;
    private RuntimeLock _gate;

    // Staged plaintext: encrypted up to _start, flushed up to _flushed, written up to _end.
    private byte[]? _staged;
    private int _start;
    private int _flushed;
    private int _end;
    private bool _isLent;

    // The last flush was large, so the next one likely is.
    private bool _isLarge;
    private long _unflushed;
    private bool _isCompleted;
    private bool _isFailed;
    private bool _mustUpdateKey;

    internal TlsWriter(RingConnection connection, RecordSealer sealer, TlsKernelOffload offload)
    {
        _mayUseKernel = offload == TlsKernelOffload.Auto && sealer.MaxDataBytes == RecordHeader.MaxPlaintext;
        _connection = connection;
        _output = connection.Output;
        _sealer = sealer;
        TlsMetrics.Shared.SessionStarted();
    }

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _unflushed;

    /// <summary>The answer to a peer's KeyUpdate: it asks for none.</summary>
    internal static ReadOnlySpan<byte> KeyUpdate => [24, 0, 0, 1, 0];

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_offer.IsOpen)
        {
            return _offer.Memory;
        }

        Stage(sizeHint);
        return PassesThrough ? _output.GetMemory(sizeHint) : _staged.AsMemory(_end);
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        Stage(sizeHint);
        return PassesThrough ? _output.GetSpan(sizeHint) : _staged.AsSpan(_end);
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

        if ((uint)bytes > (uint)((_staged?.Length ?? 0) - _end))
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "More than GetMemory or GetSpan gave.");
        }

        _end += bytes;
        _unflushed += bytes;
    }

    /// <summary>
    /// Appends external memory without copying the plaintext. It is encrypted from where it lies, by the kernel where the kernel encrypts this
    /// session.
    /// </summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed once, when the memory is no longer read: before the call returns, or on the reactor once the kernel has sent it. Null for memory
    /// that is never freed.
    /// </param>
    /// <remarks>Threads: the writer's. The next flush sends it.</remarks>
    /// <exception cref="InvalidOperationException">The writer is completed. The owner is not disposed then.</exception>
    public void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null)
    {
        using (new Section(this))
        {
            ThrowIfCompleted();
            _wantsKernel |= _mayUseKernel && memory.Length >= MinKernelBytes;
            HandOverIfIdle();
            EncryptStaged(_end);
            _unflushed += memory.Length;
            if (_kernel is not null && !_isFailed && !memory.IsEmpty)
            {
                DropStaged();
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

        using (new Section(this))
        {
            _flushed = _end;
            _isLent = false;
            _isLarge = _unflushed > StagingArrays.SmallBytes;
            _kernel?.CountFlush(_unflushed);
            _unflushed = 0;
            int waiting = _flushed - _start;
            if (_kernel is not null)
            {
                EncryptStaged(_flushed);
                SendLate();
            }

            if (_isFailed)
            {
                DropStaged();
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
                EncryptStaged(_flushed);
                DropStaged();
            }

            // The reader's thread may add to the output as well, hence inside.
            return _output.FlushAsync(cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush() => _output.CancelPendingFlush();

    /// <summary>Sends what was written, then close_notify and FIN. With an exception, unflushed data and close_notify are not sent.</summary>
    /// <param name="exception">If not null, the peer notices that the stream was truncated.</param>
    public override void Complete(Exception? exception = null)
    {
        using (new Section(this))
        {
            if (_isCompleted)
            {
                return;
            }

            EncryptStaged(exception is null ? _end : _flushed);
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
                EncryptRecord(RecordType.Alert, [Warning, (byte)TlsAlert.CloseNotify]);
            }

            _isCompleted = true;
            TlsMetrics.Shared.SessionEnded(_kernel is not null);
            DropStaged();
            if (_kernel is not { IsChangingKey: true })
            {
                // Else the kernel still gets the next key; where the connection ends before, the keys' own finalizer cleanses them.
                _sealer.Dispose();
            }

            _output.Complete(isDropped ? exception ?? new IOException("The session is over.") : exception);
        }
    }

    void ISendLayer.EndTurn()
    {
        using (new Section(this))
        {
            if (_isCompleted || _staged is null)
            {
                return;
            }

            try
            {
                if (!_isLent)
                {
                    HandOverIfIdle();
                }

                EncryptStaged(_flushed);
                _output.Submit();
            }
            catch (Exception exception) when (exception is TlsException or InvalidOperationException)
            {
                _isFailed = true;
                _connection.Abort(exception);
            }

            if (!_isLent && _start == _end)
            {
                DropStaged();
            }
        }
    }

    /// <summary>The session failed: nothing more is encrypted but the alert that says why.</summary>
    internal void Fail(TlsAlert? alert)
    {
        using (new Section(this))
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
                EncryptStaged(_flushed);
                EncryptRecord(RecordType.Alert, [Fatal, (byte)description]);
                _output.Submit();
            }

            _isFailed = true;
        }
    }

    /// <summary>Sends an alert that does not end the session.</summary>
    internal void Warn(TlsAlert alert)
    {
        using (new Section(this))
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

            EncryptRecord(RecordType.Alert, [Warning, (byte)alert]);
            _output.Submit();
        }
    }

    /// <summary>The next record is preceded by a KeyUpdate: the answer to the peer's, which may wait until something is sent.</summary>
    internal void RequestKeyUpdate()
    {
        using (new Section(this))
        {
            if (_kernel is not { } kernel)
            {
                _mustUpdateKey = true;
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
            using (new Section(this))
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

        using (new Section(this))
        {
            ThrowIfCompleted();
            _isLent = true;
            if (HasRoom(wanted))
            {
                return;
            }

            bool isSmall = _staged is null && !_isLarge;
            EncryptStaged(_end);
            DropStaged();
            _staged = StagingArrays.Rent(Math.Max(wanted, isSmall ? StagingArrays.SmallBytes : StagingArrays.LargeBytes));
        }
    }

    private bool HasRoom(int wanted) => _staged is { } staged && staged.Length - _end >= wanted && !_isCompleted;

    /// <summary>Encrypts staged bytes up to an index.</summary>
    private void EncryptStaged(int end)
    {
        if (_start < end && !_isFailed)
        {
            Encrypt(_staged.AsSpan(_start, end - _start));
        }

        _start = Math.Max(_start, end);
    }

    private void Encrypt(ReadOnlySpan<byte> data)
    {
        // A stretch this short at the end of a block is not worth a record of its own.
        const int MinStretch = 1024;
        if (_kernel is not null)
        {
            _output.Write(data);
            return;
        }

        while (!data.IsEmpty && !_isFailed)
        {
            UpdateKeyIfDue();
            int overhead = _sealer.OverheadBytes;
            Span<byte> room = _output.GetSpan(Math.Min(data.Length, MinStretch) + overhead);
            int count = Math.Min(Math.Min(data.Length, _sealer.MaxDataBytes), room.Length - overhead);
            _output.Advance(_sealer.Seal(RecordType.ApplicationData, data[..count], room));
            data = data[count..];
        }
    }

    private void UpdateKeyIfDue()
    {
        if (_mustUpdateKey || _sealer.NeedsNewKey)
        {
            _mustUpdateKey = false;
            EncryptRecord(RecordType.Handshake, KeyUpdate);
            _sealer.Update();
        }
    }

    private void EncryptRecord(RecordType type, ReadOnlySpan<byte> content)
    {
        if (_kernel is not null)
        {
            _output.AppendRecord((byte)type, content);
            return;
        }

        _output.Advance(_sealer.Seal(type, content, _output.GetSpan(content.Length + _sealer.OverheadBytes)));
    }

    private void DropStaged()
    {
        if (_staged is { } staged)
        {
            _staged = null;
            StagingArrays.Return(staged);
        }

        _start = 0;
        _flushed = 0;
        _end = 0;
    }

    /// <summary>The writer's state belongs to this thread, and a wait inside turns no ring.</summary>
    private readonly ref struct Section
    {
        private readonly TlsWriter _writer;
        private readonly ContextScope _scope;
        private readonly bool _wasInKernel;

        internal Section(TlsWriter writer)
        {
            _writer = writer;
            _scope = Reactor.EnterRuntimeHere();
            writer._gate.Enter();
            _wasInKernel = writer._kernel is not null;
        }

        public void Dispose()
        {
            bool isHandedOver = !_wasInKernel && _writer._kernel is not null;
            _writer._gate.Exit();
            _scope.Dispose();
            if (isHandedOver)
            {
                // Listeners of metrics are application code.
                HostCalls.CallOut(static metrics => metrics.NoteKernelSession("transmit"), TlsMetrics.Shared);
            }
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
