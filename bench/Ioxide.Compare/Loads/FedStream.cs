using System.Net.Sockets;
using System.Threading.Tasks.Sources;

namespace Ioxide.Compare.Loads;

/// <summary>A socket's bytes as a stream. Its reads wait for the socket at first, and for <see cref="Feed"/> once it <see cref="IsFed"/>.</summary>
/// <remarks>Threads: one. A read that waits continues inside of <see cref="Feed"/>.</remarks>
internal sealed class FedStream(Socket socket) : Stream, IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _source;
    private Memory<byte> _destination;
    private bool _isWaiting;

    /// <summary>Reads no longer wait for the socket.</summary>
    internal bool IsFed { get; set; }

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Gives the socket's bytes to the read that waits. To be called when the socket is readable.</summary>
    internal void Feed()
    {
        // One receive: what it leaves keeps the socket readable.
        if (_isWaiting)
        {
            _isWaiting = false;
            _source.SetResult(socket.Receive(_destination.Span));
        }
    }

    public override int Read(Span<byte> buffer) => socket.Receive(buffer);

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!IsFed || buffer.Length == 0)
        {
            return new ValueTask<int>(buffer.Length == 0 ? 0 : socket.Receive(buffer.Span));
        }

        _source.Reset();
        _destination = buffer;
        _isWaiting = true;
        return new ValueTask<int>(this, _source.Version);
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Write(ReadOnlySpan<byte> buffer) => socket.Send(buffer);

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
        // Nothing is kept back.
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    int IValueTaskSource<int>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            socket.Dispose();
        }

        base.Dispose(disposing);
    }
}
