using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A request's body as a stream.</summary>
internal sealed class RequestStream(Http2Stream owner, PipeReader reader) : BodyStream
{
    private readonly Stream _inner = reader.AsStream(leaveOpen: true);

    public override bool CanRead => true;

    public override int Read(byte[] buffer, int offset, int count)
    {
        owner.ThrowIfSynchronousForbidden();
        return _inner.Read(buffer, offset, count);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => _inner.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        => _inner.ReadAsync(buffer, cancellationToken);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
        => _inner.CopyToAsync(destination, bufferSize, cancellationToken);
}
