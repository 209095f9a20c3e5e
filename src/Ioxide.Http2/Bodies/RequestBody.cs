using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.ExceptionServices;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>A request's body: bytes from the connection to the application. It belongs to its exchange and is reused with it.</summary>
/// <remarks>
/// <para>Bytes that a read does not wait for are copied: a received segment is lent by the ring. A small body that is there whole when its handler
/// begins lies in one array (<see cref="WholeBody"/>), every other in a pipe. A read that waits is resumed by what comes next (<c>.Wait</c>).</para>
/// <para>The window bounds what was not examined: only examined bytes are credited. Threads: the reactor writes, the application reads.</para>
/// </remarks>
internal sealed partial class RequestBody(HttpExchange exchange) : PipeReader
{
    private Pipe? _pipe;
    private WholeBody? _whole;

    // Where the bytes are: the pipe's reader or the whole body. Null until the first byte, the end or the handler comes.
    private PipeReader? _source;
    private bool _isOver;
    private bool _isReading;
    private ReadOnlySequence<byte> _read;

    // Bytes behind those that were consumed.
    private long _examined;
    private long _consumed;

    // Why the application cannot read, once either side has aborted the request.
    private Exception? _abort;

    /// <summary>The request has a body, or may have one.</summary>
    internal bool HasBody { get; private set; }

    /// <summary>The application has requested it.</summary>
    internal bool IsStarted { get; private set; }

    private bool IsPiped => _source is not null && !ReferenceEquals(_source, _whole);

    /// <summary>A request begins.</summary>
    internal void Begin(bool hasBody)
    {
        HasBody = hasBody;
        IsStarted = false;
        _isOver = _isReading = _hasNews = _isCanceled = false;
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
    }

    /// <summary>Either side has aborted the request: each read throws this from now on. The first one counts. Threads: any.</summary>
    internal void Refuse(Exception error) => Interlocked.CompareExchange(ref _abort, error, null);

    /// <summary>The request is over.</summary>
    /// <returns>False if a read is still pending: the object must not be used again.</returns>
    internal bool TryReset()
    {
        _read = default;
        if (_source is null)
        {
            return true;
        }

        bool isHeld = IsHeld;
        if (IsPiped)
        {
            End(isHeld ? new ObjectDisposedException(nameof(RequestBody), "The request is over.") : null);
            _pipe!.Reader.Complete();
            if (!isHeld)
            {
                _pipe.Reset();
            }
        }

        _source = isHeld ? _source : null;
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
        bool isResumed = _wait == Wait.Waiting;
        ReadOnlySequence<byte> rest = payload.Slice(Fill(payload));
        if (!rest.IsEmpty)
        {
            foreach (ReadOnlyMemory<byte> memory in rest)
            {
                writer.Write(memory.Span);
            }

            // The pipe has no limit, so this completes at once.
            ValueTask<FlushResult> flush = writer.FlushAsync();
            Debug.Assert(flush.IsCompletedSuccessfully);
            _hasNews = _hasArrived = true;
        }

        _gate.Exit();
        if (isResumed)
        {
            Resume(null);
        }
    }

    internal void OnEnd()
    {
        if (IsPiped)
        {
            End(null);
        }
        else if (_source is null)
        {
            // The end came without a byte: the request has no body.
            HasBody = false;
        }
    }

    /// <summary>The stream is over before its end: who waits gets the error, or the one of <see cref="Refuse"/>.</summary>
    internal void Break(Exception error)
    {
        Refuse(error);
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
            result = s_empty;
            return true;
        }

        Start();
        _gate.Enter();
        try
        {
            return TryTake(out result);
        }
        finally
        {
            _gate.Exit();
        }
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRefused();
        if (!HasBody)
        {
            return new ValueTask<ReadResult>(s_empty);
        }

        Start();
        return TryReadOrWait(default, out ReadResult result)
            ? new ValueTask<ReadResult>(result)
            : new ValueTask<ReadResult>(this, BeginWait(cancellationToken));
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
        long seen = 0;
        long observed = _consumed;
        if (!_read.IsEmpty)
        {
            seen = _read.Slice(0, examined).Length;
            long end = Math.Max(_examined, seen);
            bytes = (int)(end - _examined);
            long taken = _read.Slice(0, consumed).Length;
            _examined = end - taken;
            _consumed += taken;
            observed += seen;
        }

        _gate.Enter();
        _hasNews &= _hasArrived || seen < _read.Length;
        _gate.Exit();
        _read = default;
        _source!.AdvanceTo(consumed, examined);
        _isReading = false;
        if (bytes > 0)
        {
            exchange.Connection.Credit(exchange.Stream, bytes);
        }

        ThrowIfTooLarge(observed);
    }

    public override void CancelPendingRead()
    {
        ThrowIfRefused();
        if (HasBody)
        {
            _gate.Enter();
            _source!.CancelPendingRead();
            _isCanceled = true;
            _gate.Exit();
            Wake(null);
        }
    }

    public override void Complete(Exception? exception = null)
    {
        ThrowIfRefused();
        if (HasBody)
        {
            if (exception is not null)
            {
                exchange.Report(exception);
            }

            // A read from now on fails, and does not wait.
            _hasNews = true;
            _source!.Complete();
        }
    }

    private static readonly ReadResult s_empty = new(default, isCanceled: false, isCompleted: true);

    private void ThrowIfRefused()
    {
        if (exchange.IsOver)
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
        if (!IsStarted)
        {
            ThrowIfTooLarge(exchange.Stream.DeclaredLength ?? 0);
            IsStarted = true;
            exchange.Request.AskForBody(isAwaited: false);
        }
    }

    /// <summary>The limit is one of reading: the application may raise it before it reads.</summary>
    /// <param name="observed">Bytes of the body that are announced, or that it has consumed or examined.</param>
    private void ThrowIfTooLarge(long observed)
    {
        if (exchange.Request.MaxBodyBytes is { } max && observed > max)
        {
            throw new BadHttpRequestException(
                $"Request body too large. The max request body size is {max} bytes.", StatusCodes.Status413PayloadTooLarge);
        }
    }

    private void OpenPipe()
    {
        _pipe ??= new Pipe(new PipeOptions(
            exchange.Connection.Context.Features.Get<IMemoryPoolFeature>()?.MemoryPool,
            PipeScheduler.Inline, PipeScheduler.Inline, pauseWriterThreshold: 0, resumeWriterThreshold: 0));
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
        _gate.Enter();
        _isOver = true;
        _pipe!.Writer.Complete(error);
        _gate.Exit();

        // As in Kestrel, a read that waits is canceled by an abort. Later ones throw the abort itself.
        Wake(error is ConnectionAbortedException ? new TaskCanceledException("The request was aborted", error) : error);
    }
}
