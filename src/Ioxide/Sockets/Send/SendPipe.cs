namespace Ioxide;

/// <summary>A connection's sending side: a <see cref="PipeWriter"/> over a chain of pooled blocks.</summary>
/// <remarks>
/// <para>The writer fills private blocks. A flush moves them to the queue, and the reactor sends the queue at the end of its turn: several
/// flushes in one turn cost one send. Writing may continue while a send is in flight. A flush waits only while more than
/// <see cref="RingConnectionOptions.MaxWriteBufferSize"/> bytes are queued.</para>
/// <para>This is the writer's half; <see cref="Sender"/> is the reactor's: the queue and the send in flight.</para>
/// <para>Threads: one writer at a time, on any thread. A flush from another thread is posted (<see cref="PostedFlushes"/>), and completes on the
/// reactor if it must wait.</para>
/// </remarks>
[DebuggerDisplay("{Describe(),nq}")]
public sealed partial class SendPipe : PipeWriter, IReferenceWriter
{
    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly Sender _sender;
    private readonly long _highWatermark;
    private MemoryBlock? _first;
    private MemoryBlock? _last;
    private long _unflushed;
    private OfferedMemory _offer;
    private bool _isCompleted;
    private PostedFlushes? _posted;

    internal SendPipe(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _sender = connection.Sender;
        _highWatermark = connection.Options.MaxWriteBufferSize ?? long.MaxValue;
    }

    /// <summary>The send, its queue and the writer in one line. Threads: the reactor's.</summary>
    internal string Describe() => $"{_sender.Describe()}{(_wait is { IsWaiting: true } ? ", flush waits" : "")}";

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _unflushed;

    /// <summary>A layer that the application writes to instead of this pipe, such as TLS; null without one.</summary>
    internal ISendLayer? Layer { get; set; }

    /// <summary>Flushed bytes that the kernel has not yet taken, including those on their way to the queue.</summary>
    /// <remarks>Threads: any. Never too low: posted bytes are read first, and the reactor writes their count last.</remarks>
    internal long PendingBytes => (_posted?.Bytes ?? 0) + _sender.QueuedBytes;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
        => _offer.IsOpen ? _offer.Memory : BlockFor(sizeHint).FreeMemory;

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => BlockFor(sizeHint).FreeSpan;

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        if (_offer.IsOpen)
        {
            _offer.Take(bytes);
            return;
        }

        if (_last is null ? bytes != 0 : (uint)bytes > (uint)_last.FreeLength)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "More than GetMemory or GetSpan gave.");
        }

        if (bytes > 0)
        {
            _last!.End += bytes;
            _unflushed += bytes;
        }
    }

    /// <summary>Queues outside memory behind the written bytes, by reference: nothing is copied.</summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed on the reactor, once, when the kernel no longer reads the memory, even if the connection breaks. Null for
    /// memory that is never freed.
    /// </param>
    /// <remarks>Threads: the writer's. The next flush sends it.</remarks>
    /// <exception cref="InvalidOperationException">The writer is completed. The owner is not disposed then.</exception>
    public void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null) => Append(memory, owner, isImmutable: false);

    void IReferenceWriter.Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable) => Append(memory, owner, isImmutable);

    bool IReferenceWriter.TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        // The server may have dropped a broken connection: its writer takes the rest and discards it.
        if (_isCompleted || !_offer.IsTakenBy(front, memory))
        {
            return false;
        }

        Append(memory, owner, isImmutable);
        return true;
    }

    private void Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        ThrowIfCompleted();
        if (memory.IsEmpty)
        {
            owner?.Dispose();
            return;
        }

        AddToChain(Refer(memory, owner, isImmutable));
        _unflushed += memory.Length;
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (!_reactor.IsCurrent)
        {
            return FlushFromOtherThread(cancellationToken);
        }

        TakePosted();
        EnqueueWritten();
        return HasFlushResult(_sender.QueuedBytes) ? new ValueTask<FlushResult>(TakeFlushResult()) : WaitForRoom(cancellationToken);
    }

    /// <summary>Ends writing. Written bytes are sent, then the peer sees the end of the stream (FIN).</summary>
    /// <param name="exception">If not null, bytes written since the last flush are dropped.</param>
    public override void Complete(Exception? exception = null)
    {
        if (_isCompleted)
        {
            return;
        }

        _isCompleted = true;
        MemoryBlock? first = TakeWritten(out MemoryBlock? last, out long bytes);
        bool isDropped = exception is not null;
        if (!_reactor.IsCurrent)
        {
            Post(first, last, bytes, isDropped, isLast: true);
            return;
        }

        TakePosted();
        if (isDropped)
        {
            SendQueue.ReleaseChain(_reactor, first);
            first = null;
        }

        _sender.Finish(first, last, bytes);
    }

    /// <summary>Writes a non-data record, which the kernel's TLS sends as such. Threads: the writer's.</summary>
    internal void AppendRecord(byte recordType, ReadOnlySpan<byte> content)
    {
        Debug.Assert(_sender.IsEncryptedByKernel);
        ThrowIfCompleted();
        byte[] copy = GC.AllocateUninitializedArray<byte>(content.Length, pinned: true);
        content.CopyTo(copy);
        AddToChain(new MemoryBlock(null, copy, 0, copy.Length, isShared: false) { RecordType = recordType, End = copy.Length });
        _unflushed += copy.Length;
    }

    /// <summary>Queues written bytes like a flush without an await; it may exceed the limit. Threads: the writer's.</summary>
    internal void Submit()
    {
        if (_reactor.IsCurrent)
        {
            TakePosted();
            EnqueueWritten();
        }
        else
        {
            PostWritten();
        }
    }

    /// <summary>Takes the flushes of other threads. Threads: the reactor's.</summary>
    internal void TakePosted()
    {
        if (_posted is { IsThere: true } posted)
        {
            posted.Take();
        }
    }

    private MemoryBlock BlockFor(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        if (_last is { } last && last.FreeLength >= Math.Max(1, sizeHint))
        {
            return last;
        }

        ThrowIfCompleted();
        MemoryBlock block;
        if (sizeHint > ReactorMemory.LargeBlockBytes)
        {
            block = new MemoryBlock(null, GC.AllocateUninitializedArray<byte>(sizeHint, pinned: true), 0, sizeHint, isShared: false);
        }
        else
        {
            // An answer that filled its first block is a large one.
            bool isLarge = sizeHint > ReactorMemory.SmallBlockBytes || _unflushed >= ReactorMemory.SmallBlockBytes / 2;
            block = _reactor.Memory.RentBlock(isLarge);
        }

        AddToChain(block);
        return block;
    }

    private MemoryBlock Refer(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        // An owner's code releases its memory later, so the reactor's blocks are only for memory without an owner.
        MemoryBlock block = owner is null && _reactor.IsCurrent ? _reactor.Memory.RentReference() : new MemoryBlock();
        block.Refer(memory, owner, isImmutable);
        return block;
    }

    private void AddToChain(MemoryBlock block)
    {
        if (_last is null)
        {
            _first = block;
        }
        else
        {
            _last.Next = block;
        }

        _last = block;
    }

    /// <summary>The chain so far; the writer begins a new one.</summary>
    private MemoryBlock? TakeWritten(out MemoryBlock? last, out long bytes)
    {
        MemoryBlock? first = _first;
        last = _last;
        bytes = _unflushed;
        _first = null;
        _last = null;
        _unflushed = 0;
        return first;
    }

    private void EnqueueWritten()
    {
        if (_first is not null)
        {
            MemoryBlock first = TakeWritten(out MemoryBlock? last, out long bytes)!;
            _sender.Enqueue(first, last!, bytes);
        }
    }

    private void PostWritten()
    {
        if (_unflushed > 0)
        {
            MemoryBlock? first = TakeWritten(out MemoryBlock? last, out long bytes);
            Post(first, last, bytes, isDropped: false, isLast: false);
        }
    }

    /// <summary>Leaves a chain for the reactor. Threads: the writer's.</summary>
    private void Post(MemoryBlock? first, MemoryBlock? last, long bytes, bool isDropped, bool isLast)
    {
        // A requested but unwritten block is dropped as well.
        isDropped |= bytes == 0;
        PostedFlushes posted = _posted ?? Interlocked.CompareExchange(ref _posted, new PostedFlushes(_sender, _reactor), null) ?? _posted;
        posted.Add(isDropped ? null : first, last, isDropped ? 0 : bytes, isLast);
        if (isDropped && first is not null && !_reactor.TryEnqueue(WorkItem.Of(_reactor, first, SendQueue.ReleaseChain)))
        {
            SendQueue.ReleaseOwners(first);
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
