namespace Ioxide.Pg.Data;

/// <summary>A value of a row as a stream: read as the value arrives, forward only. Threads: the reader's.</summary>
/// <remarks>The row disposes it when its column is left. Disposing it early leaves the column partly read.</remarks>
internal sealed class ColumnStream(SequentialRow row) : Stream
{
    private bool _isDisposed;

    public override bool CanRead => !_isDisposed;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => Row.StreamBytes;

    public override long Position
    {
        get => Row.StreamPosition;
        set => throw new NotSupportedException("The stream reads from a connection, forward only.");
    }

    private SequentialRow Row
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return row;
        }
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Row.ReadValue(buffer.AsSpan(offset, count));
    }

    public override int Read(Span<byte> buffer) => Row.ReadValue(buffer);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        => cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : Row.ReadValueAsync(buffer, cancellationToken);

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException("The stream reads from a connection, forward only.");

    public override void SetLength(long value) => throw new NotSupportedException("The stream is read only.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("The stream is read only.");

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        base.Dispose(disposing);
    }
}
