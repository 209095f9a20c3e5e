using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>A stream over a connection's pipes, for TLS to read and write its records. It owns neither pipe.</summary>
/// <remarks>Asynchronous only: a synchronous call would stop the reactor.</remarks>
internal sealed class DuplexPipeStream(IDuplexPipe pipe) : Stream
{
    /// <summary>Resumes on a thread of its own after a read. For the handshake: its signatures and checks take milliseconds.</summary>
    internal bool ResumesOnOwnThread { get; set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ReadResult result = await pipe.Input.ReadAsync(cancellationToken).ConfigureAwait(false);
        ReadOnlySequence<byte> received = result.Buffer;
        if (result.IsCanceled)
        {
            pipe.Input.AdvanceTo(received.Start);
            throw new OperationCanceledException("The pending read was cancelled.");
        }

        int length = (int)Math.Min(received.Length, buffer.Length);
        ReadOnlySequence<byte> taken = received.Slice(0, length);
        taken.CopyTo(buffer.Span);
        pipe.Input.AdvanceTo(taken.End);
        if (ResumesOnOwnThread)
        {
            await ConnectThread.SwitchAsync();
        }

        return length;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        => await pipe.Output.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // Written bytes are already being sent.
    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
