using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A request's body, an answer's, or both of a tunnel, as a stream: bytes pass once, and each write is flushed, as in Kestrel.</summary>
internal sealed class BodyStream(HttpExchange exchange, RequestBody? input, Answer? output) : Stream
{
    private readonly Stream? _inner = input?.AsStream(leaveOpen: true);

    public override bool CanRead => input is not null;

    public override bool CanSeek => false;

    public override bool CanWrite => output is not null;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private Stream Readable => _inner ?? throw new NotSupportedException();

    private Answer Writable => output ?? throw new NotSupportedException();

    public override int Read(byte[] buffer, int offset, int count)
    {
        _ = Readable;
        exchange.ThrowIfSynchronousForbidden();
        Task<int> reading = ReadAsync(buffer.AsMemory(offset, count)).AsTask();
        Wait(reading);
        return reading.Result;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        => input is null || buffer.IsEmpty ? Readable.ReadAsync(buffer, cancellationToken) : input.ReadAsync(buffer, cancellationToken);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
        => Readable.CopyToAsync(destination, bufferSize, cancellationToken);

    public override void Write(byte[] buffer, int offset, int count)
    {
        _ = Writable;
        exchange.ThrowIfSynchronousForbidden();
        Wait(WriteAsync(buffer.AsMemory(offset, count)).AsTask());
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = Writable.WriteAsync(buffer, cancellationToken);
        if (flush.IsCompletedSuccessfully)
        {
            _ = flush.Result;
            return default;
        }

        return new ValueTask(flush.AsTask());
    }

    public override void Flush()
    {
        if (output is not null)
        {
            exchange.ThrowIfSynchronousForbidden();
            Wait(FlushAsync(CancellationToken.None));
        }
    }

    public override Task FlushAsync(CancellationToken cancellationToken)
        => output is null ? Task.CompletedTask : output.FlushAsync(cancellationToken).AsTask();

    // The base class would read and write synchronously.
    public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
        => TaskToAsyncResult.Begin(ReadAsync(buffer, offset, count, CancellationToken.None), callback, state);

    public override int EndRead(IAsyncResult asyncResult) => TaskToAsyncResult.End<int>(asyncResult);

    public override IAsyncResult BeginWrite(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
        => TaskToAsyncResult.Begin(WriteAsync(buffer, offset, count, CancellationToken.None), callback, state);

    public override void EndWrite(IAsyncResult asyncResult) => TaskToAsyncResult.End(asyncResult);

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    /// <summary>Blocks so that the reactor sees it, whatever context the application has set.</summary>
    private static void Wait(Task task)
    {
        using ContextScope scope = Reactor.EnterApplicationHere();
        task.GetAwaiter().GetResult();
    }
}
