using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>A request's body: a pipe from the connection to the application, created with its stream's first body and reused.</summary>
/// <remarks>
/// <para>The stream's window bounds what was not examined: only examined bytes are credited. Threads: the reactor writes, the application reads.</para>
/// <para>A body that is there whole when its handler begins, and is small, needs no pipe: <see cref="WholeBody"/>. A read of the stream that waits
/// gets its bytes from the received frame, past the pipe (<c>.Direct</c>). Otherwise bytes are copied into the pipe, because a received segment is
/// lent by the ring, and a body that is not read would keep it.</para>
/// </remarks>
internal sealed partial class RequestBody(Http2Stream stream) : PipeReader
{
    private Pipe? _pipe;
    private WholeBody? _whole;

    // Where the bytes are: the pipe's reader or the whole body. Null until the first byte, the end or the handler comes.
    private PipeReader? _source;
    private bool _isStarted;
    private bool _isOver;
    private volatile bool _isAwaited;
    private ReadOnlySequence<byte> _read;

    // Bytes behind those that were consumed.
    private long _examined;
    private long _consumed;

    // Why the application cannot read, once either side has aborted the request.
    private Exception? _abort;

    /// <summary>The request has a body, or may have one.</summary>
    internal bool HasBody { get; private set; }

    /// <summary>The application has requested it.</summary>
    internal bool IsStarted => _isStarted;

    /// <summary>A read waits for the client.</summary>
    internal bool IsAwaited => _isAwaited;

    /// <summary>A request begins.</summary>
    internal void Begin(bool hasBody)
    {
        HasBody = hasBody;
        _isStarted = false;
        _isOver = false;
        _examined = 0;
        _consumed = 0;
        _abort = null;
    }

    /// <summary>The handler begins: what comes from now on comes through the pipe. Threads: the reactor's.</summary>
    internal void HandlerBegins()
    {
        if (HasBody && _source is null)
        {
            OpenPipe();
        }
        else if (HasBody && ReferenceEquals(_source, _whole) && _whole!.IsEmpty)
        {
            // The end came without a byte: the request has no body.
            HasBody = false;
        }
    }

    /// <summary>Either side has aborted the request: each read throws this from now on. The first one counts. Threads: any.</summary>
    internal void Refuse(Exception error) => Interlocked.CompareExchange(ref _abort, error, null);

    /// <summary>The request is over.</summary>
    /// <returns>False if a read is still pending: the object must not be used again.</returns>
    internal bool TryReset()
    {
        _read = default;
        bool isPiped = IsPiped;
        bool isHeld = isPiped && IsHeld;
        if (isPiped)
        {
            End(isHeld ? new ObjectDisposedException(nameof(RequestBody), "The request is over.") : null);
            _pipe!.Reader.Complete();
        }

        if (!isHeld)
        {
            _source = null;
            if (isPiped)
            {
                _pipe!.Reset();
            }
        }

        return !isHeld;
    }

    /// <param name="payload">The received bytes.</param>
    /// <param name="received">Bytes of the body so far, including these.</param>
    /// <param name="isEnd">No byte follows.</param>
    internal void OnData(in ReadOnlySequence<byte> payload, long received, bool isEnd)
    {
        if (_isOver)
        {
            return;
        }

        if (_source is null && isEnd && received <= WholeBody.MaxBytes)
        {
            OpenWhole(payload);
            return;
        }

        if (_source is null)
        {
            OpenPipe();
        }

        PipeWriter writer = _pipe!.Writer;
        _gate.Enter();
        ReadOnlySequence<byte> rest = payload.Slice(FillDirect(payload, out bool isFirst));
        if (!rest.IsEmpty)
        {
            foreach (ReadOnlyMemory<byte> memory in rest)
            {
                writer.Write(memory.Span);
            }

            // The pipe has no limit, so this completes at once, and its reader is scheduled.
            ValueTask<FlushResult> flush = writer.FlushAsync();
            Debug.Assert(flush.IsCompletedSuccessfully);
        }

        _gate.Exit();
        if (isFirst)
        {
            ResumeDirect();
        }
    }

    internal void OnEnd()
    {
        if (HasBody && _source is null)
        {
            OpenWhole(default);
        }
        else if (IsPiped)
        {
            End(null);
        }
    }

    /// <summary>The stream is over before its end: who waits gets what <see cref="Refuse"/> was told.</summary>
    internal void OnBroken()
    {
        if (HasBody && _source is null)
        {
            OpenPipe();
        }

        if (IsPiped)
        {
            End(_abort);
        }
    }

    public override bool TryRead(out ReadResult result)
    {
        ThrowIfRefused();
        if (!HasBody)
        {
            result = new ReadResult(default, isCanceled: false, isCompleted: true);
            return true;
        }

        Start();
        bool isRead = _source!.TryRead(out result);
        _read = default;
        if (isRead)
        {
            _read = result.Buffer;
        }

        return isRead;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRefused();
        if (!HasBody)
        {
            return new ValueTask<ReadResult>(new ReadResult(default, isCanceled: false, isCompleted: true));
        }

        Start();
        _readsElsewhere = !stream.Connection.Reactor.IsCurrent;
        ValueTask<ReadResult> read = _source!.ReadAsync(cancellationToken);
        if (read.IsCompletedSuccessfully)
        {
            ReadResult result = read.Result;
            _read = result.Buffer;
            return new ValueTask<ReadResult>(result);
        }

        return AwaitAsync(read);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ThrowIfRefused();
        if (!HasBody)
        {
            return;
        }

        // Credit is for what was examined, as in Kestrel: a reader of whole messages consumes nothing before it has seen the last byte.
        int bytes = 0;
        long observed = _consumed;
        if (!_read.IsEmpty)
        {
            long seen = _read.Slice(0, examined).Length;
            long end = Math.Max(_examined, seen);
            bytes = (int)(end - _examined);
            long taken = _read.Slice(0, consumed).Length;
            _examined = end - taken;
            _consumed += taken;
            observed += seen;
        }

        _read = default;
        _source!.AdvanceTo(consumed, examined);
        if (bytes > 0)
        {
            stream.Connection.Credit(stream, bytes);
        }

        ThrowIfTooLarge(observed);
    }

    public override void CancelPendingRead()
    {
        ThrowIfRefused();
        if (HasBody && !TryEndDirect(new OperationCanceledException("The read was canceled.")))
        {
            _source!.CancelPendingRead();
        }
    }

    public override void Complete(Exception? exception = null)
    {
        ThrowIfRefused();
        if (HasBody)
        {
            if (exception is not null)
            {
                stream.Report(exception);
            }

            _source!.Complete();
        }
    }

    private void ThrowIfRefused()
    {
        if (stream.IsOver)
        {
            throw new ObjectDisposedException(nameof(HttpRequest), "The request is over: its body cannot be read any more.");
        }

        if (Volatile.Read(ref _abort) is { } abort)
        {
            ExceptionDispatchInfo.Throw(abort);
        }
    }

    /// <summary>The application requests the body for the first time.</summary>
    private void Start()
    {
        if (!_isStarted)
        {
            if (stream.MaxBodyBytes is { } max && stream.DeclaredLength > max)
            {
                throw TooLarge(max);
            }

            _isStarted = true;
            stream.AskForBody(isAwaited: false);
        }
    }

    /// <summary>The limit is one of reading: the application may raise it before it reads.</summary>
    /// <param name="observed">Bytes of the body that it has consumed, and those behind them that it has examined.</param>
    private void ThrowIfTooLarge(long observed)
    {
        if (stream.MaxBodyBytes is { } max && observed > max)
        {
            throw TooLarge(max);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> AwaitAsync(ValueTask<ReadResult> read)
    {
        _isAwaited = true;
        stream.AskForBody(isAwaited: true);
        try
        {
            ReadResult result = await read.ConfigureAwait(false);
            _read = result.Buffer;
            return result;
        }
        finally
        {
            _isAwaited = false;
        }
    }

    private bool IsPiped => _source is not null && !ReferenceEquals(_source, _whole);

    private void OpenPipe()
    {
        _pipe ??= MakePipe();
        _source = _pipe.Reader;
    }

    private void OpenWhole(in ReadOnlySequence<byte> payload)
    {
        Debug.Assert(_source is null);
        _isOver = true;
        _whole ??= new WholeBody();
        _whole.Fill(payload);
        _source = _whole;
    }

    /// <summary>No byte follows. Threads: the reactor's.</summary>
    private void End(Exception? error)
    {
        Debug.Assert(IsPiped);
        _gate.Enter();
        _isOver = true;
        _pipe!.Writer.Complete(error);
        _gate.Exit();
        _ = TryEndDirect(error);
    }

    private static BadHttpRequestException TooLarge(long max)
        => new($"Request body too large. The max request body size is {max} bytes.", StatusCodes.Status413PayloadTooLarge);

    private Pipe MakePipe()
        => new(new PipeOptions(
            stream.Connection.Context.Features.Get<IMemoryPoolFeature>()?.MemoryPool,
            readerScheduler: new ReaderScheduler(this),
            writerScheduler: PipeScheduler.Inline,
            pauseWriterThreshold: 0,
            resumeWriterThreshold: 0));
}
