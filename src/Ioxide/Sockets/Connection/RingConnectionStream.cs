using System.Buffers;

namespace Ioxide;

/// <summary>A connection as a stream that owns it, for clients that want one, such as <see cref="SocketsHttpHandler"/>.</summary>
/// <remarks>
/// <para>Threads: any; one read and one write at a time, as with every network stream. It may be disposed while they run: they end as those of a
/// <see cref="NetworkStream"/>, whose errors it repeats. The connection is closed when the last of them has ended, because a read copies from
/// memory that the connection lends.</para>
/// <para>A synchronous call blocks its thread until the reactor has answered.</para>
/// </remarks>
internal sealed class RingConnectionStream(RingConnection connection) : Stream
{
    /// <summary>
    /// A write is copied and flushed in pieces of at most this size, so that the copy of a large one waits for the peer.
    /// </summary>
    internal const int PieceBytes = 64 * 1024;

    // A peer that takes nothing of what is queued must not keep the connection of a client that has left.
    private static readonly TimeSpan s_closePatience = TimeSpan.FromSeconds(10);

    // The owner, and each read and write that runs. None enters at 0, when the connection is being closed.
    private int _users = 1;
    private int _isDisposed;
    private volatile bool _isCut;

    /// <summary>The connection, for tests.</summary>
    internal RingConnection Connection => connection;

    public override bool CanRead => Volatile.Read(ref _isDisposed) == 0;

    public override bool CanSeek => false;

    public override bool CanWrite => Volatile.Read(ref _isDisposed) == 0;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <remarks>With an empty buffer it waits until there is something to read.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            ReadResult result = await connection.Input.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> received = result.Buffer;
            if (result.IsCanceled)
            {
                connection.Input.AdvanceTo(received.Start);
                throw MakeError("read data from", new SocketException((int)SocketError.OperationAborted));
            }

            ReadOnlySequence<byte> taken = received.Slice(0, Math.Min(received.Length, buffer.Length));
            taken.CopyTo(buffer.Span);
            connection.Input.AdvanceTo(taken.End);
            return (int)taken.Length;
        }
        catch (IOException error) when (error.InnerException is SocketException cause)
        {
            throw MakeError("read data from", cause);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Queues the bytes. Waits only while more is unsent than <see cref="RingConnectionOptions.MaxWriteBufferSize"/>.</summary>
    /// <remarks>A write that is cancelled may have sent some of its bytes; the connection is then reset when it is closed.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Enter();
        try
        {
            do
            {
                int count = Math.Min(buffer.Length, PieceBytes);
                FlushResult result = await connection.Output.WriteAsync(buffer[..count], cancellationToken).ConfigureAwait(false);
                buffer = buffer[count..];
                if (result.IsCanceled)
                {
                    _isCut = true;
                    throw MakeError("write data to", new SocketException((int)SocketError.OperationAborted));
                }

                if (result.IsCompleted)
                {
                    Exception error = connection.MakeError();
                    throw error.InnerException is SocketException cause ? MakeError("write data to", cause) : error;
                }
            }
            while (!buffer.IsEmpty);
        }
        catch (OperationCanceledException)
        {
            _isCut = true;
            throw;
        }
        finally
        {
            Leave();
        }
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        Task<int> reading = ReadAsync(buffer.AsMemory(offset, count)).AsTask();
        using ContextScope scope = Reactor.EnterApplicationHere();
        return reading.GetAwaiter().GetResult();
    }

    public override void Write(byte[] buffer, int offset, int count)
    {
        Task writing = WriteAsync(buffer.AsMemory(offset, count)).AsTask();
        using ContextScope scope = Reactor.EnterApplicationHere();
        writing.GetAwaiter().GetResult();
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // Written bytes are already being sent.
    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override string ToString() => connection.ToString();

    protected override void Dispose(bool disposing)
    {
        if (disposing && Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            connection.Input.CancelPendingRead();
            connection.Output.CancelPendingFlush();
            Leave();
        }

        base.Dispose(disposing);
    }

    /// <summary>The error that a <see cref="NetworkStream"/> makes of a socket's.</summary>
    private static IOException MakeError(string action, SocketException cause)
        => new($"Unable to {action} the transport connection: {cause.Message}.", cause);

    private void Enter()
    {
        int users;
        do
        {
            users = Volatile.Read(ref _users);
            ObjectDisposedException.ThrowIf(users == 0 || Volatile.Read(ref _isDisposed) != 0, this);
        }
        while (Interlocked.CompareExchange(ref _users, users + 1, users) != users);
    }

    private void Leave()
    {
        if (Interlocked.Decrement(ref _users) == 0)
        {
            _ = CloseAsync();
        }
    }

    private async Task CloseAsync()
    {
        if (_isCut)
        {
            // The peer must not take what was written so far for the whole.
            connection.Abort();
        }

        Task closing = connection.DisposeAsync().AsTask();
        try
        {
            await closing.WaitAsync(s_closePatience).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            connection.Abort();
        }
    }
}
