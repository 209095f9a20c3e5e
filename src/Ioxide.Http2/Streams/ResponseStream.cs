using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A response's body as a stream: each write is flushed, as in Kestrel.</summary>
internal sealed class ResponseStream(Http2Stream owner, PipeWriter writer) : BodyStream
{
    public override bool CanWrite => true;

    public override void Write(byte[] buffer, int offset, int count)
    {
        owner.ThrowIfSynchronousForbidden();
        WriteAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ValueTask<FlushResult> flush = writer.WriteAsync(buffer, cancellationToken);
        if (flush.IsCompletedSuccessfully)
        {
            _ = flush.Result;
            return default;
        }

        return new ValueTask(flush.AsTask());
    }

    public override void Flush()
    {
        owner.ThrowIfSynchronousForbidden();
        FlushAsync(CancellationToken.None).GetAwaiter().GetResult();
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => writer.FlushAsync(cancellationToken).AsTask();
}
