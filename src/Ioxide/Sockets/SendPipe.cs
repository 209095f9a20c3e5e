using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>The sending half of a connection: a <see cref="PipeWriter"/> over a chain of pooled blocks.</summary>
/// <remarks>
/// <para>The writer fills blocks that nobody else sees. A flush hands them to the connection's queue, and the reactor sends
/// the queue at the end of its turn: several flushes of one turn cost one send. Writing may go on while a send is in
/// flight. A flush waits only while more than <see cref="RingConnectionOptions.MaxWriteBufferSize"/> bytes are queued.</para>
/// <para>Threads: one writer at a time, on any thread. The queue belongs to the reactor; from another thread a flush is
/// posted, and one that has to wait completes on the reactor.</para>
/// </remarks>
public sealed partial class SendPipe : PipeWriter
{
    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly long _highWatermark;
    private readonly long _lowWatermark;

    // The writer's.
    private MemoryBlock? _first;
    private MemoryBlock? _last;
    private long _unflushed;
    private bool _isCompleted;
    private MemoryBlock? _offered;

    // Made by the first flush that waits.
    private FlushWait? _wait;
    private bool _isCancelRequested;

    internal SendPipe(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _highWatermark = connection.Options.MaxWriteBufferSize ?? long.MaxValue;
        _lowWatermark = _highWatermark / 2;
    }

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _unflushed;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
        => _offered is { } offered ? offered.OutsideMemory : BlockFor(sizeHint).FreeMemory;

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => BlockFor(sizeHint).FreeSpan;

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        if (_offered is not null)
        {
            TakeOffered(bytes);
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

    /// <summary>Queues memory of somebody else behind what was written, by reference: nothing is copied.</summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed on the reactor, once, when the kernel no longer reads the memory, also when the connection breaks. Null for
    /// memory that lives for ever.
    /// </param>
    /// <remarks>Threads: the writer's. It is sent by the next flush.</remarks>
    /// <exception cref="InvalidOperationException">The writer is completed. The owner is not disposed then.</exception>
    public void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null)
    {
        ThrowIfCompleted();
        if (memory.IsEmpty)
        {
            owner?.Dispose();
            return;
        }

        AddToChain(Refer(memory, owner, isImmutable: false));
        _unflushed += memory.Length;
    }

    void IReferenceWriter.AppendImmutable(ReadOnlyMemory<byte> memory)
    {
        ThrowIfCompleted();
        if (!memory.IsEmpty)
        {
            AddToChain(Refer(memory, owner: null, isImmutable: true));
            _unflushed += memory.Length;
        }
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
        if (HasFlushResult)
        {
            return new ValueTask<FlushResult>(TakeFlushResult());
        }

        if (IsFlushWaiting)
        {
            throw new InvalidOperationException("A flush is pending already. Await it before the next one.");
        }

        FlushWait wait = ResetWait(isElsewhere: false);
        wait.Wait(cancellationToken);
        return wait.Task;
    }

    /// <summary>Writes a record of another type than data, which the kernel's TLS sends as such. Threads: the writer's.</summary>
    internal void AppendRecord(byte recordType, ReadOnlySpan<byte> content)
    {
        ThrowIfCompleted();
        byte[] copy = GC.AllocateUninitializedArray<byte>(content.Length, pinned: true);
        content.CopyTo(copy);
        AddToChain(new MemoryBlock(null, copy, 0, copy.Length, isShared: false) { RecordType = recordType, End = copy.Length });
        _unflushed += copy.Length;
    }

    /// <summary>Queues what was written, like a flush that nobody awaits; it may go over the limit. Threads: the writer's.</summary>
    internal void Submit()
    {
        if (_reactor.IsCurrent)
        {
            TakePosted();
            EnqueueWritten();
        }
        else if (_unflushed > 0)
        {
            PostWritten();
        }
    }

    /// <summary>Whether a flush of so many bytes would complete at once and need not be made now. Only on the reactor.</summary>
    internal bool HasRoomFor(long bytes)
        => !_isCompleted && !_isEnded && !_isCancelRequested && _queuedBytes + bytes < _highWatermark;

    /// <inheritdoc/>
    public override void CancelPendingFlush()
    {
        bool isOnReactor = _reactor.IsCurrent;
        if (isOnReactor)
        {
            _isCancelRequested = true;
        }

        _reactor.Enqueue(new WorkItem(
            static (pipe, _, isSet, _) => ((SendPipe)pipe!).Cancel(isSet != 0), this, null, isOnReactor ? 1 : 0));
    }

    /// <summary>Ends the writing. What was written is sent, then the peer sees the end of the stream (FIN).</summary>
    /// <param name="exception">Not null: what was written since the last flush is dropped.</param>
    public override void Complete(Exception? exception = null)
    {
        if (_isCompleted)
        {
            return;
        }

        _isCompleted = true;
        if (!_reactor.IsCurrent)
        {
            PostWritten(isLast: true, isDropped: exception is not null);
            return;
        }

        MemoryBlock? first = _first;
        MemoryBlock? last = _last;
        long bytes = exception is null ? _unflushed : -1;
        _first = null;
        _last = null;
        _unflushed = 0;
        TakePosted();
        CompleteOnReactor(first, last, bytes);
    }

    private bool IsFlushWaiting => _wait is { IsWaiting: true };

    private bool HasFlushResult => _isEnded || _isCancelRequested || _queuedBytes < _highWatermark;

    private MemoryBlock BlockFor(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        if (_last is { } last && last.FreeLength >= Math.Max(1, sizeHint))
        {
            return last;
        }

        ThrowIfCompleted();
        MemoryBlock block;
        if (sizeHint > Reactor.LargeBlockBytes)
        {
            block = new MemoryBlock(null, GC.AllocateUninitializedArray<byte>(sizeHint, pinned: true), 0, sizeHint, isShared: false);
        }
        else
        {
            // An answer that filled its first block is a large one.
            bool isLarge = sizeHint > Reactor.SmallBlockBytes || _unflushed >= Reactor.SmallBlockBytes / 2;
            MemoryBlock? spare = isLarge || _spare is null ? null : Interlocked.Exchange(ref _spare, null);
            block = spare ?? (isLarge ? _reactor.LargeBlocks : _reactor.SmallBlocks).Rent();
        }

        AddToChain(block);
        return block;
    }

    private MemoryBlock Refer(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        // What has an owner is let go by code of the owner's, later: the reactor's own blocks are for what has none.
        MemoryBlock block = owner is null && _reactor.IsCurrent ? _reactor.RentReference() : new MemoryBlock();
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

    private void EnqueueWritten()
    {
        if (_first is null)
        {
            return;
        }

        MemoryBlock first = _first;
        MemoryBlock last = _last!;
        long bytes = _unflushed;
        _first = null;
        _last = null;
        _unflushed = 0;
        Enqueue(first, last, bytes);
    }

    private FlushResult TakeFlushResult()
    {
        bool isCanceled = _isCancelRequested;
        _isCancelRequested = false;
        return new FlushResult(isCanceled, _isEnded);
    }

    private FlushWait ResetWait(bool isElsewhere)
    {
        FlushWait wait = _wait ??= new FlushWait(this);
        wait.Reset();
        wait.ResumesOnThreadPool = _connection.ResumesOnThreadPool || (isElsewhere && _connection.IsHandledOnPool);
        return wait;
    }

    private ValueTask<FlushResult> FlushFromOtherThread(CancellationToken cancellationToken)
    {
        if (_unflushed > 0)
        {
            PostWritten();
        }

        // While there is room nobody has to wait, and the writer stays on its thread: a thread hop costs more than a send.
        if (Volatile.Read(ref _isEnded))
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        if (!Volatile.Read(ref _isCancelRequested) && PendingBytes < _highWatermark)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: false));
        }

        return ResetWait(isElsewhere: true).Offer(cancellationToken);
    }

    private void Cancel(bool isSet)
    {
        if (!isSet)
        {
            _isCancelRequested = true;
        }

        NotifyFlush();
    }

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }
    }

    /// <summary>A flush that waits for room.</summary>
    private sealed class FlushWait(SendPipe pipe) : ReactorWait<FlushResult>(pipe._reactor)
    {
        private protected override void Start()
        {
            pipe.TakePosted();
            if (pipe.HasFlushResult)
            {
                SetResult(Reactor, pipe.TakeFlushResult());
            }
            else
            {
                Wait();
            }
        }

        private protected override void ReactorHasEnded() => SetResult(Reactor, new FlushResult(isCanceled: false, isCompleted: true));
    }
}
