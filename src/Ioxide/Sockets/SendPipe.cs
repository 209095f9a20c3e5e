using System.IO.Pipelines;

namespace Ioxide;

/// <summary>A connection's sending side: a <see cref="PipeWriter"/> over a chain of pooled blocks.</summary>
/// <remarks>
/// <para>The writer fills private blocks. A flush moves them to the queue, and the reactor sends the queue at the end of its turn: several
/// flushes in one turn cost one send. Writing may continue while a send is in flight. A flush waits only while more than
/// <see cref="RingConnectionOptions.MaxWriteBufferSize"/> bytes are queued.</para>
/// <para>One file per concern: the writer's calls (this one, and .Offer), waiting flushes (.Flush), the queue (.Queue), the send in flight (.Send),
/// its timers (.Timers), sending by pages (.Pages), flushes of other threads (<see cref="PostedFlushes"/>). It has 25 fields because a flush and
/// its send touch all of these concerns: in one object they cost no hop. Parts that most connections never need are created on first use.</para>
/// <para>Threads: one writer at a time, on any thread. The queue belongs to the reactor. A flush from another thread is
/// posted, and completes on the reactor if it must wait.</para>
/// </remarks>
public sealed partial class SendPipe : PipeWriter
{
    private static readonly Action<object?, object?, long, long> s_releaseChain =
        static (pipe, first, _, _) => ((SendPipe)pipe!).ReleaseChain((MemoryBlock)first!);

    private readonly RingConnection _connection;
    private readonly Reactor _reactor;
    private readonly long _highWatermark;
    private MemoryBlock? _first;
    private MemoryBlock? _last;
    private long _unflushed;
    private bool _isCompleted;
    private MemoryBlock? _offered;
    private PostedFlushes? _posted;

    internal SendPipe(RingConnection connection)
    {
        _connection = connection;
        _reactor = connection.Reactor;
        _highWatermark = connection.Options.MaxWriteBufferSize ?? long.MaxValue;
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

    /// <summary>Queues outside memory behind the written bytes, by reference: nothing is copied.</summary>
    /// <param name="memory">Must not change or be freed until <paramref name="owner"/> is disposed.</param>
    /// <param name="owner">
    /// Disposed on the reactor, once, when the kernel no longer reads the memory, even if the connection breaks. Null for
    /// memory that is never freed.
    /// </param>
    /// <remarks>Threads: the writer's. The next flush sends it.</remarks>
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
        return HasFlushResult ? new ValueTask<FlushResult>(TakeFlushResult()) : WaitForRoom(cancellationToken);
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
            ReleaseChain(first);
            first = null;
        }

        CompleteOnReactor(first, last, bytes);
    }

    /// <summary>Writes a non-data record, which the kernel's TLS sends as such. Threads: the writer's.</summary>
    internal void AppendRecord(byte recordType, ReadOnlySpan<byte> content)
    {
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
            block = (isLarge ? null : _posted?.TakeSpare()) ?? (isLarge ? _reactor.LargeBlocks : _reactor.SmallBlocks).Rent();
        }

        AddToChain(block);
        return block;
    }

    private MemoryBlock Refer(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        // An owner's code releases its memory later, so the reactor's blocks are only for memory without an owner.
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
            Enqueue(first, last!, bytes);
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
        PostedFlushes posted = _posted ?? Interlocked.CompareExchange(ref _posted, new PostedFlushes(this, _reactor), null) ?? _posted;
        posted.Add(isDropped ? null : first, last, isDropped ? 0 : bytes, isLast);
        if (isDropped && first is not null && !_reactor.TryEnqueue(new WorkItem(s_releaseChain, this, first)))
        {
            ReleaseOwners(first);
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
