using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>A stream over a connection's pipes, for TLS to read and write its records. It owns neither pipe.</summary>
/// <remarks>
/// Threads: asynchronous calls belong to the reactor. A synchronous call, which only a handshake makes, has the same done where the stream was made
/// and blocks its own thread meanwhile.
/// </remarks>
internal sealed class DuplexPipeStream(IDuplexPipe pipe) : Stream
{
    private readonly TaskScheduler _home = SynchronizationContext.Current is null
        ? TaskScheduler.Default : TaskScheduler.FromCurrentSynchronizationContext();

    /// <summary>Ends synchronous calls.</summary>
    internal CancellationToken Limit { get; init; }

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

    public override int Read(byte[] buffer, int offset, int count) => Wait(() => ReadAsync(buffer.AsMemory(offset, count), Limit).AsTask());

    public override void Write(byte[] buffer, int offset, int count) => Wait(async () =>
    {
        await WriteAsync(buffer.AsMemory(offset, count), Limit).ConfigureAwait(true);
        return count;
    });

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private T Wait<T>(Func<Task<T>> call)
    {
        Debug.Assert(Reactor.Current is null);
        return Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.DenyChildAttach, _home).Unwrap().GetAwaiter().GetResult();
    }
}
