namespace Ioxide.Http2;

/// <summary>A request's body as a stream.</summary>
internal sealed class RequestStream(Http2Stream owner, RequestBody body) : BodyStream
{
    private readonly Stream _inner = body.AsStream(leaveOpen: true);

    public override bool CanRead => true;

    public override int Read(byte[] buffer, int offset, int count)
    {
        owner.ThrowIfSynchronousForbidden();
        return _inner.Read(buffer, offset, count);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        => buffer.IsEmpty ? _inner.ReadAsync(buffer, cancellationToken) : body.ReadAsync(buffer, cancellationToken);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
        => _inner.CopyToAsync(destination, bufferSize, cancellationToken);
}
